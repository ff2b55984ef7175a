// What applications are told of customizations in argocd-cm that do not work: keys that cannot be read, and users' own health
// rules that failed for objects of the application, each with its key. Pure.

import { shownName } from '#gitops/diff'
import type { Finding } from '../application/conditions.ts'
import type { Judged } from '../comparison/comparison.ts'

const maxTold = 10

export function customizationWarnings(unread: readonly string[], judged: readonly Judged[]): readonly Finding[] {
  const failed = new Map<string, string[]>()
  for (const { key, verdict } of judged) {
    if (verdict?.fault === undefined) continue
    failed.set(verdict.fault, [...(failed.get(verdict.fault) ?? []), shownName(key)])
  }
  const messages = [...unread, ...[...failed].map(([fault, names]) => `${fault} (for ${namesText(names)})`)]
  return messages.slice(0, maxTold).map((message): Finding => ({ type: 'CustomizationWarning', message }))
}

function namesText([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`
}
