// How the tables of this folder write rules down: one a line, `VERBS | GROUPS | RESOURCES | NAMES`, where `core` is the
// group without a name, `url` in place of a group makes paths of the resources, and `read` and `write` stand for several
// verbs. The line `events` is what everybody has who emits them.

import type { PolicyRule } from '#kinds'

const read = ['get', 'list', 'watch']
const write = ['create', 'update', 'patch', 'delete', 'deletecollection']
const several: Readonly<Record<string, readonly string[]>> = { read, write, core: [''] }
const eventsLine = 'create update patch | core events.k8s.io | events'

/** Sorted, as Kubernetes sorts them. */
const wordsOf = (text: string): string[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .flatMap((word) => several[word] ?? word)
    .sort()

function ruleOf(line: string): PolicyRule {
  const [verbs = '', groups = '', resources = '', names = ''] = (line === 'events' ? eventsLine : line).split('|')
  if (groups.trim() === 'url') return { verbs: wordsOf(verbs), nonResourceURLs: wordsOf(resources) }
  const resourceNames = wordsOf(names)
  return {
    verbs: wordsOf(verbs),
    apiGroups: wordsOf(groups),
    resources: wordsOf(resources),
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  }
}

/** The rules of a role, one of each line. */
export const rulesOf = (lines: string): readonly PolicyRule[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(ruleOf)
