// What an application is told of orphaned resources: those of its namespace that its project permits and does not ignore, worked
// out once for all applications of the project. Pure.

import { keyOf, keyText } from '#gitops/diff'
import type { Application, AppProject } from '#kinds'
import type { AnyObject } from '#objects'
import type { Finding } from '../application/conditions.ts'
import type { Comparison } from '../comparison/comparison.ts'
import { globMatcher } from '../projects/glob-match.ts'
import { mayManage } from '../projects/project.ts'
import { type Families, type Family, type Orphans, placeKey } from './orphans.ts'

/** All orphaned resources of an application: none unless its project asks for them. Undefined: not known yet. */
export function orphansOf(orphans: Orphans, question: OrphanQuestion): readonly AnyObject[] | undefined {
  const found = forProject(orphans, question)
  if (found === undefined) return undefined
  const own = new Set(question.comparison?.entries.map(({ key }) => keyText(key)))
  return [...found.byKey].flatMap(([key, { root, descendants }]) => (own.has(key) ? [] : [root, ...descendants]))
}

/** How many those are, at the cost of what the application itself has. */
function countOrphans(found: Listed, question: OrphanQuestion): number {
  const own = (question.comparison?.entries ?? []).flatMap(({ key }) => found.byKey.get(keyText(key)) ?? [])
  return own.reduce((count, family) => count - sizeOf(family), found.count)
}

const sizeOf = ({ descendants }: Family): number => 1 + descendants.length

export interface OrphanQuestion {
  readonly app: Application
  readonly project: AppProject
  /** Of the cluster that it deploys to. */
  readonly server: string
  /** What git wants is no orphan, even before it is tracked. */
  readonly comparison?: Comparison | undefined
}

interface Listed {
  readonly byKey: ReadonlyMap<string, Family>
  readonly count: number
  readonly unread: readonly string[]
}

const none: Listed = { byKey: new Map(), count: 0, unread: [] }
const byProject = new WeakMap<Families, WeakMap<AppProject, Listed>>()

/** Without what the project does not permit, or asks to be ignored; worked out once for all its applications. */
function forProject(orphans: Orphans, { app, project, server }: OrphanQuestion): Listed | undefined {
  const { namespace = '' } = app.spec.destination
  if (project.spec.orphanedResources === undefined || namespace === '') return none
  const found = orphans.at(placeKey({ server, namespace }))
  if (found === undefined) return undefined
  const { families, unread } = found
  const memo = byProject.get(families) ?? new WeakMap<AppProject, Listed>()
  byProject.set(families, memo)
  const known = memo.get(project)
  if (known !== undefined) return known
  const isIgnored = ignoreTest(project)
  const isPermitted = (object: AnyObject): boolean => mayManage(project, { ...keyOf(object), namespaced: true })
  const listed = families
    .filter(({ root }) => isPermitted(root) && !isIgnored(root))
    .map(({ root, descendants }) => ({ root, descendants: descendants.filter(isPermitted) }))
  const made = {
    byKey: new Map(listed.map((family) => [keyText(keyOf(family.root)), family])),
    count: listed.reduce((count, family) => count + sizeOf(family), 0),
    unread,
  }
  memo.set(project, made)
  return made
}

function ignoreTest({ spec }: AppProject): (object: AnyObject) => boolean {
  const rules = (spec.orphanedResources?.ignore ?? []).map(({ group = '', kind = '', name = '' }) => ({
    group: globMatcher(group),
    kind: globMatcher(kind === '' ? '*' : kind),
    name: globMatcher(name === '' ? '*' : name),
  }))
  return (object) => {
    const key = keyOf(object)
    return rules.some((rule) => rule.kind(key.kind) && rule.group(key.group) && rule.name(key.name))
  }
}

/** What an application says of its orphans; what it said before as long as they are not known. */
export function orphanFindings(orphans: Orphans, question: OrphanQuestion): readonly Finding[] {
  const { app, project } = question
  if (project.spec.orphanedResources?.warn !== true) return []
  const type = 'OrphanedResourceWarning'
  const found = forProject(orphans, question)
  if (found === undefined)
    return (app.status?.conditions ?? []).flatMap((each) =>
      each.type === type ? [{ type, message: each.message }] : [],
    )
  const count = countOrphans(found, question)
  if (count === 0 && found.unread.length === 0) return []
  return [{ type, message: `Application has ${count} orphaned resources${unreadText(found.unread)}` }]
}

const namedAtMost = 5

function unreadText(unread: readonly string[]): string {
  if (unread.length === 0) return ''
  const more = unread.length > namedAtMost ? ` and ${unread.length - namedAtMost} more kinds` : ''
  return `, as far as can be seen: the cluster does not let ${unread.slice(0, namedAtMost).join(', ')}${more} be listed`
}
