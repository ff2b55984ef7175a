// Nobody hands on more than he has: whoever writes a role must have all of its rules himself, or the verb `escalate`;
// whoever writes a binding all of the role's, or the verb `bind` (pkg/registry/rbac/*/policybased).

import type { ClusterRole, PolicyRule, RoleBinding } from '#kinds'
import type { AnyObject } from '#objects'
import { forbiddenError, notFoundError } from '../errors.ts'
import type { Reservation, ResourceHooks } from '../hooks.ts'
import type { Scope } from '../scope.ts'
import { rbacBuckets } from './rbac.ts'
import { compactRules, listText, missingRules, ruleText } from './rules-cover.ts'

const group = 'rbac.authorization.k8s.io'
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]
/** Fields by which an object only goes on its way out. */
const collectedFields = ['ownerReferences', 'finalizers'] as const

type Check = (scope: Scope, object: AnyObject, old: AnyObject | undefined) => void

const reserving =
  (check: Check): NonNullable<ResourceHooks['reserve']> =>
  (scope, object, old): Reservation => {
    const { groups } = scope.request.caller
    if (!groups.includes('system:masters') && !changesOnlyCollection(object, old)) check(scope, object, old)
    return { object, release: () => {} }
  }

function changesOnlyCollection(object: AnyObject, old: AnyObject | undefined): boolean {
  if (old === undefined) return false
  const rest = (of: AnyObject): string => {
    const { resourceVersion: _version, ...metadata } = of.metadata as Record<string, unknown>
    for (const field of collectedFields) delete metadata[field]
    return JSON.stringify({ ...of, metadata })
  }
  return collectedFields.some((field) => object.metadata[field] !== old.metadata[field]) && rest(object) === rest(old)
}

function isAllowed(scope: Scope, verb: string, resource: string, name: string, namespace?: string): boolean {
  const { caller } = scope.request
  return scope.core.decide({ caller, verb, group, resource, name, ...(namespace === undefined ? {} : { namespace }) })
    .allowed
}

const nameOf = ({ metadata }: AnyObject): string => metadata.name ?? ''

/** What an aggregate gathers nobody can foresee: it takes all rights. */
const aggregates = (role: AnyObject | undefined): boolean => role?.['aggregationRule'] !== undefined

const checkRole: Check = (scope, object, old) => {
  const { resource } = scope.served.info
  const name = nameOf(object)
  if (isAllowed(scope, 'escalate', resource, name, scope.namespace)) return
  confirm(scope, (object as unknown as ClusterRole).rules ?? [], name)
  if (!(aggregates(object) || aggregates(old)) || faultOf(scope, everything) === undefined) return
  throw forbiddenError({ group, resource }, name, 'must have cluster-admin privileges to use the aggregationRule')
}

const checkBinding: Check = (scope, object) => {
  const { roleRef } = object as unknown as RoleBinding
  const { kind, name: role } = roleRef ?? {}
  const resource = kind === 'Role' ? 'roles' : 'clusterroles'
  const namespace = scope.namespace
  if (isAllowed(scope, 'bind', resource, role ?? '', namespace)) return
  const rules = scope.core.access.roles.rulesOf(roleRef, namespace ?? '')
  if (rules === undefined) throw notFoundError({ group, resource }, role ?? '')
  confirm(scope, rules, nameOf(object))
}

function confirm(scope: Scope, rules: readonly PolicyRule[], name: string): void {
  const fault = faultOf(scope, rules)
  if (fault !== undefined) throw forbiddenError({ group, resource: scope.served.info.resource }, name, fault)
}

/** Which of the rules the caller has not himself, in words. */
function faultOf(scope: Scope, rules: readonly PolicyRule[]): string | undefined {
  const { caller } = scope.request
  const own = scope.core.access.roles.rulesFor(caller, scope.namespace ?? '')
  const missing = missingRules(own.rules, rules)
  if (missing.length === 0) return undefined
  const told = [...new Set(compactRules(missing).map(ruleText))].sort().join('\n')
  const lost = own.missing.length === 0 ? '' : `; resolution errors: [${own.missing.join(' ')}]`
  return `user ${JSON.stringify(caller.user)} (groups=${listText(caller.groups)}) is attempting to grant RBAC permissions not currently held:\n${told}${lost}`
}

/** By bucket. */
export const escalationChecks: Readonly<Record<string, NonNullable<ResourceHooks['reserve']>>> = {
  [rbacBuckets.ClusterRole]: reserving(checkRole),
  [rbacBuckets.Role]: reserving(checkRole),
  [rbacBuckets.ClusterRoleBinding]: reserving(checkBinding),
  [rbacBuckets.RoleBinding]: reserving(checkBinding),
}
