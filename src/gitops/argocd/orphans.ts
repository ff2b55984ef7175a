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
export function orphansOf(
  orphans: Orphans,
  { app, project, comparison }: OrphanQuestion,
): readonly AnyObject[] | undefined {
  const { namespace = '' } = app.spec.destination
  if (project.spec.orphanedResources === undefined || namespace === '') return []
  const all = orphans.in(namespace)
  if (all === undefined) return undefined
  const families = ofProject(all, project)
  const own = new Set(comparison?.entries.map(({ key }) => keyText(key)))
  return families.flatMap(({ root, descendants }) => (own.has(keyText(keyOf(root))) ? [] : [root, ...descendants]))
}

export interface OrphanQuestion {
  readonly app: Application
  readonly project: AppProject
  /** What git wants is no orphan, even before it is tracked. */
  readonly comparison?: Comparison | undefined
}

const byProject = new WeakMap<Families, WeakMap<AppProject, Families>>()

/** Without what the project does not permit, or asks to be ignored. */
function ofProject(families: Families, project: AppProject): Families {
  const memo = byProject.get(families) ?? new WeakMap<AppProject, Families>()
  byProject.set(families, memo)
  const known = memo.get(project)
  if (known !== undefined) return known
  const isIgnored = ignoreTest(project)
  const isPermitted = (object: AnyObject): boolean => mayManage(project, { ...keyOf(object), namespaced: true })
  const made = families
    .filter(({ root }) => isPermitted(root) && !isIgnored(root))
    .map(({ root, descendants }) => ({ root, descendants: descendants.filter(isPermitted) }))
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
  const found = orphansOf(orphans, question)
  if (found === undefined)
    return (app.status?.conditions ?? []).flatMap((each) =>
      each.type === type ? [{ type, message: each.message }] : [],
    )
  return found.length === 0 ? [] : [{ type, message: `Application has ${found.length} orphaned resources` }]
}
