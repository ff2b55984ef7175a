// Orphaned resources: objects in a namespace that applications deploy to which belong to none of them, with what loops made
// of them. Found once for a namespace, by the orphan loop; what an application is told of them is worked out once for its
// project. Pure but for what is remembered.

import { keyOf, keyText } from '#gitops/diff'
import type { Application, AppProject } from '#kinds'
import { type AnyObject, groupOf } from '#objects'
import type { Comparison } from './comparison.ts'
import type { Finding } from './conditions.ts'
import { globMatcher } from './glob-match.ts'
import { mayManage } from './project.ts'

/** An object that no application tracks and nothing owns, and all that is owned by it. */
export interface Family {
  readonly root: AnyObject
  readonly descendants: readonly AnyObject[]
}

/** The families of a namespace. They are the same as long as no object comes or goes. */
export type Families = readonly Family[]

export class Orphans {
  readonly #byNamespace = new Map<string, Families>()
  readonly #uids = new Map<string, ReadonlySet<string>>()
  readonly #foundAt = new Map<string, number>()
  #monitored: ReadonlySet<string> = new Set()

  /** Which namespaces are looked at from now on. */
  monitor(namespaces: ReadonlySet<string>): void {
    this.#monitored = namespaces
    for (const namespace of this.#byNamespace.keys())
      if (!namespaces.has(namespace)) this.#byNamespace.delete(namespace)
  }

  isMonitored(namespace: string): boolean {
    return this.#monitored.has(namespace)
  }

  foundAt(namespace: string): number | undefined {
    return this.#byNamespace.has(namespace) ? this.#foundAt.get(namespace) : undefined
  }

  /** Undefined: not looked at yet. */
  in(namespace: string): Families | undefined {
    return this.#byNamespace.get(namespace)
  }

  /** Whether an object is one of them, or belongs to one, as far as is known. */
  has(namespace: string, uid: string): boolean {
    return this.#uids.get(namespace)?.has(uid) === true
  }

  /** Takes over what was found; answers whether it is news. */
  set(namespace: string, families: Families, now: number): boolean {
    this.#foundAt.set(namespace, now)
    const uids = new Set(
      families.flatMap(({ root, descendants }) => [root, ...descendants].flatMap(({ metadata }) => metadata.uid ?? [])),
    )
    const before = this.#uids.get(namespace)
    const isKnown = this.#byNamespace.has(namespace) && before !== undefined
    if (isKnown && before.size === uids.size && [...uids].every((uid) => before.has(uid))) return false
    this.#byNamespace.set(namespace, families)
    this.#uids.set(namespace, uids)
    return true
  }
}

/** Objects that every namespace has by itself. */
export function isBuiltIn({ apiVersion, kind, metadata: { namespace, name } }: AnyObject): boolean {
  if (groupOf(apiVersion) !== '') return false
  return (
    (kind === 'ServiceAccount' && name === 'default') ||
    (kind === 'ConfigMap' && name === 'kube-root-ca.crt') ||
    (kind === 'Service' && name === 'kubernetes' && namespace === 'default')
  )
}

/** All orphaned resources of an application: none unless its project asks for them. Undefined: not known yet. */
export function orphansOf(orphans: Orphans, question: OrphanQuestion): readonly AnyObject[] | undefined {
  const found = forProject(orphans, question)
  if (found === undefined) return undefined
  const own = new Set(question.comparison?.entries.map(({ key }) => keyText(key)))
  return [...found.byKey].flatMap(([key, { root, descendants }]) => (own.has(key) ? [] : [root, ...descendants]))
}

/** How many those are, at the cost of what the application itself has. */
function countOrphans(orphans: Orphans, question: OrphanQuestion): number | undefined {
  const found = forProject(orphans, question)
  if (found === undefined) return undefined
  const own = (question.comparison?.entries ?? []).flatMap(({ key }) => found.byKey.get(keyText(key)) ?? [])
  return own.reduce((count, family) => count - sizeOf(family), found.count)
}

const sizeOf = ({ descendants }: Family): number => 1 + descendants.length

export interface OrphanQuestion {
  readonly app: Application
  readonly project: AppProject
  /** What git wants is no orphan, even before it is tracked. */
  readonly comparison?: Comparison | undefined
}

interface Listed {
  readonly byKey: ReadonlyMap<string, Family>
  readonly count: number
}

const none: Listed = { byKey: new Map(), count: 0 }
const byProject = new WeakMap<Families, WeakMap<AppProject, Listed>>()

/** Without what the project does not permit, or asks to be ignored; worked out once for all its applications. */
function forProject(orphans: Orphans, { app, project }: OrphanQuestion): Listed | undefined {
  const { namespace = '' } = app.spec.destination
  if (project.spec.orphanedResources === undefined || namespace === '') return none
  const families = orphans.in(namespace)
  if (families === undefined) return undefined
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
  const count = countOrphans(orphans, question)
  if (count === undefined)
    return (app.status?.conditions ?? []).flatMap((each) =>
      each.type === type ? [{ type, message: each.message }] : [],
    )
  return count === 0 ? [] : [{ type, message: `Application has ${count} orphaned resources` }]
}
