// Which customization is that of a kind: the one of exactly this kind, else the one whose pattern says most. Argo CD takes
// any of several patterns that match; here it is always the same one.

import type { IgnoreDifference } from '#kinds'
import type { ActionScripts, Customization, Customizations, HealthExpressions, HealthScript } from './customization.ts'

export type OwnHealthRule =
  | { readonly type: 'script'; readonly script: HealthScript }
  | { readonly type: 'expressions'; readonly expressions: HealthExpressions }

const nameOf = (group: string, kind: string): string => (group === '' ? kind : `${group}/${kind}`)

/** What users say of the health of a kind. A script comes before expressions of the same pattern. */
export function ownHealthRule({ all }: Customizations, group: string, kind: string): OwnHealthRule | undefined {
  const name = nameOf(group, kind)
  const saying = all.filter(({ script, expressions }) => script !== undefined || expressions !== undefined)
  const [found] = saying.filter(({ pattern }) => matches(pattern, name)).sort(mostTellingFirst(name))
  if (found?.script !== undefined) return { type: 'script', script: found.script }
  return found?.expressions === undefined ? undefined : { type: 'expressions', expressions: found.expressions }
}

/** Actions are those of exactly this kind: Argo CD knows no patterns for them. */
export function customActions({ all }: Customizations, group: string, kind: string): ActionScripts | undefined {
  const name = nameOf(group, kind)
  return all.find(({ pattern, actions }) => pattern === name && actions !== undefined)?.actions
}

/** With the key that says it. Group and kind may be globs. */
interface IgnoredForAll extends IgnoreDifference {
  readonly key: string
}

/** What is no difference in any application. Of several patterns that match, each counts. */
export const ignoredForAll = ({ all }: Customizations): readonly IgnoredForAll[] =>
  all.flatMap(({ pattern, ignored }) => {
    if (ignored === undefined) return []
    const slash = pattern.indexOf('/')
    return [{ ...ignored, group: pattern.slice(0, Math.max(slash, 0)), kind: pattern.slice(slash + 1) }]
  })

function mostTellingFirst(name: string): (a: Customization, b: Customization) => number {
  const told = ({ pattern }: Customization): number =>
    pattern === name ? Number.POSITIVE_INFINITY : pattern.replace(/[*?]/g, '').length
  return (a, b) => (told(a) === told(b) ? (a.pattern < b.pattern ? -1 : 1) : told(b) - told(a))
}

function matches(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === name
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(name)
}
