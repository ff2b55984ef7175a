// What Roles and ClusterRoles allow to whom they are bound (plugin/pkg/auth/authorizer/rbac). Bindings are looked up by
// their subjects in an index that is made anew, when it is next asked, after a binding was written.

import type { ClusterRole, ClusterRoleBinding, PolicyRule, RbacV1Subject, RoleBinding } from '#kinds'
import type { Store } from '#store'
import type { AccessQuestion } from '../options.ts'
import { type Decision, refusedFor } from './decision.ts'

type Caller = AccessQuestion['caller']
type RoleRef = RoleBinding['roleRef']

export const rbacBuckets = {
  ClusterRole: 'clusterroles.rbac.authorization.k8s.io',
  Role: 'roles.rbac.authorization.k8s.io',
  ClusterRoleBinding: 'clusterrolebindings.rbac.authorization.k8s.io',
  RoleBinding: 'rolebindings.rbac.authorization.k8s.io',
} as const

/** One subject of a binding. */
interface Bound {
  /** Of the binding among all, and of the subject in it: the first that fits is the one that is told. */
  readonly place: readonly [binding: number, subject: number]
  readonly what: string
  readonly roleRef: RoleRef
  readonly subject: RbacV1Subject
}

type BySubject = Map<string, Bound[]>

interface Index {
  readonly cluster: BySubject
  readonly namespaces: Map<string, BySubject>
}

interface Grant {
  /** The rules of a role, or why there are none. */
  readonly rules: readonly PolicyRule[] | string
  readonly by: () => string
}

export class RoleAuthorizer {
  readonly #store: Store
  #index: Index | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** To be called when a binding was written. */
  bindingsChanged(): void {
    this.#index = undefined
  }

  decide(question: AccessQuestion): Decision {
    const missing: string[] = []
    for (const { rules, by } of this.#grants(question.caller, question.namespace)) {
      if (typeof rules === 'string') missing.push(rules)
      else if (rules.some((rule) => allows(rule, question)))
        return { allowed: true, reason: `RBAC: allowed by ${by()}` }
    }
    if (missing.length === 0) return refusedFor('')
    return refusedFor(`RBAC: ${missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`}`)
  }

  /** All that a caller is granted for a namespace, or cluster-wide; and what roles were not found. */
  rulesFor(caller: Caller, namespace: string): { readonly rules: readonly PolicyRule[]; readonly missing: string[] } {
    const rules: PolicyRule[] = []
    const missing: string[] = []
    for (const grant of this.#grants(caller, namespace)) {
      if (typeof grant.rules === 'string') missing.push(grant.rules)
      else rules.push(...grant.rules)
    }
    return { rules, missing }
  }

  /** The rules of the role that a binding refers to; undefined when there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const isLocal = kind === 'Role'
    const bucket = isLocal ? rbacBuckets.Role : rbacBuckets.ClusterRole
    const role = this.#store.get(bucket, isLocal ? `${namespace}/${name}` : name)
    return role === undefined ? undefined : ((role.value as unknown as ClusterRole).rules ?? [])
  }

  *#grants(caller: Caller, namespace = ''): Iterable<Grant> {
    this.#index ??= indexOf(this.#store)
    const { cluster, namespaces } = this.#index
    for (const bound of boundTo(cluster, caller)) yield this.#grant(bound, '')
    const local = namespace === '' ? undefined : namespaces.get(namespace)
    if (local !== undefined) for (const bound of boundTo(local, caller)) yield this.#grant(bound, namespace)
  }

  #grant({ what, roleRef, subject }: Bound, namespace: string): Grant {
    const { kind, name } = roleRef
    const rules = this.rulesOf(roleRef, namespace)
    return {
      rules: rules ?? `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`,
      by: () => `${what} of ${kind} "${name}" to ${textOf(subject, namespace)}`,
    }
  }
}

function indexOf(store: Store): Index {
  const index: Index = { cluster: new Map(), namespaces: new Map() }
  listed<ClusterRoleBinding>(store, rbacBuckets.ClusterRoleBinding).forEach((binding, i) => {
    addTo(index.cluster, binding, { at: i, what: `ClusterRoleBinding "${binding.metadata.name}"`, namespace: '' })
  })
  listed<RoleBinding>(store, rbacBuckets.RoleBinding).forEach((binding, i) => {
    const { namespace = '', name } = binding.metadata
    let local = index.namespaces.get(namespace)
    if (local === undefined) {
      local = new Map()
      index.namespaces.set(namespace, local)
    }
    addTo(local, binding, { at: i, what: `RoleBinding "${name}/${namespace}"`, namespace })
  })
  return index
}

const listed = <T>(store: Store, bucket: string): readonly T[] =>
  store.list(bucket).entries.map(({ value }) => value as unknown as T)

function addTo(
  index: BySubject,
  { roleRef, subjects }: Pick<RoleBinding, 'roleRef' | 'subjects'>,
  { at, what, namespace }: { readonly at: number; readonly what: string; readonly namespace: string },
): void {
  subjects?.forEach((subject, i) => {
    const key = keyOf(subject, namespace)
    if (key === undefined) return
    const bound: Bound = { place: [at, i], what, roleRef, subject }
    const known = index.get(key)
    if (known === undefined) index.set(key, [bound])
    else known.push(bound)
  })
}

/** A service account is meant by the name that its user has. */
function keyOf({ kind, name, namespace }: RbacV1Subject, ofBinding: string): string | undefined {
  if (kind === 'User') return `user ${name}`
  if (kind === 'Group') return `group ${name}`
  const home = namespace || ofBinding
  return kind === 'ServiceAccount' && home !== '' ? `user system:serviceaccount:${home}:${name}` : undefined
}

/** In the order of bindings; of one binding the first subject that fits. */
function boundTo(index: BySubject, { user, groups }: Caller): readonly Bound[] {
  const found = [...(index.get(`user ${user}`) ?? [])]
  for (const group of new Set(groups)) found.push(...(index.get(`group ${group}`) ?? []))
  found.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1])
  return found.filter(({ place }, i) => i === 0 || found[i - 1]?.place[0] !== place[0])
}

function textOf({ kind, name, namespace }: RbacV1Subject, ofBinding: string): string {
  return `${kind} "${kind === 'ServiceAccount' ? `${name}/${namespace || ofBinding}` : name}"`
}

const has = (values: readonly string[] | null | undefined, wanted: string): boolean =>
  values?.some((value) => value === '*' || value === wanted) === true

export function allows(
  rule: PolicyRule,
  { verb, group = '', resource, subresource = '', name = '', path = '' }: AccessQuestion,
): boolean {
  if (!has(rule.verbs, verb)) return false
  if (resource === undefined) return rule.nonResourceURLs?.some((url) => matchesUrl(url, path)) === true
  if (!has(rule.apiGroups, group)) return false
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  const inResources = has(rule.resources, combined) || (subresource !== '' && has(rule.resources, `*/${subresource}`))
  const resourceNames = rule.resourceNames ?? []
  return inResources && (resourceNames.length === 0 || resourceNames.includes(name))
}

const matchesUrl = (url: string, path: string): boolean =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')))
