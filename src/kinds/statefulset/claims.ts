// Claims of a StatefulSet bear no owner reference, but the name of a template, its name and a number.

import type { StatefulSet } from '../generated/types.ts'

/** Tells the names of claims that were made for the pods of a StatefulSet. */
export function claimTester({ metadata, spec }: StatefulSet): (claimName: string) => boolean {
  const beginnings = (spec?.volumeClaimTemplates ?? []).map((template) => `${template.metadata.name}-${metadata.name}-`)
  return (name) => beginnings.some((text) => name.startsWith(text) && /^\d+$/.test(name.slice(text.length)))
}
