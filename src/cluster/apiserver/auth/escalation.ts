// Nobody hands on more than he has: whoever writes a role must have all of its rules himself, or the verb `escalate`;
// whoever writes a binding all of the role's, or the verb `bind` (pkg/registry/rbac/*/policybased).

import type { ClusterRole, PolicyRule, RoleBinding } from '#kinds'
import type { AnyObject } from '#objects'
import type { Core } from '../core.ts'
import { forbiddenError, notFoundError } from '../errors.ts'
import type { Occasion, Reservation, ResourceHooks } from '../hooks.ts'
import { rbacBuckets } from './rbac.ts'
import { compactRules, listText, missingRules, ruleText } from './rules-cover.ts'

const group = 'rbac.authorization.k8s.io'
const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]
/** Fields by which an object only goes on its way out. */
const collectedFields = ['ownerReferences', 'finalizers'] as const

interface Attempt extends Pick<Occasion, 'request' | 'served' | 'namespace'> {
  readonly judge: Judge
}

type Judge = Pick<Core, 'decide' | 'access'>
type Check = (attempt: Attempt, object: AnyObject, old: AnyObject | undefined) => void

const reserving =
  (judge: Judge, check: Check): NonNullable<ResourceHooks['reserve']> =>
  ({ request, served, namespace }, object, old): Reservation => {
    if (!request.caller.groups.includes('system:masters') && !changesOnlyCollection(object, old))
      check({ judge, request, served, namespace }, object, old)
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

function isAllowed(attempt: Attempt, verb: string, resource: string, name: string, namespace?: string): boolean {
  const { caller } = attempt.request
  return attempt.judge.decide({
    caller,
    verb,
    group,
    resource,
    name,
    ...(namespace === undefined ? {} : { namespace }),
  }).allowed
}

const nameOf = ({ metadata }: AnyObject): string => metadata.name ?? ''

/** What an aggregate gathers nobody can foresee: it takes all rights. */
const aggregates = (role: AnyObject | undefined): boolean => role?.['aggregationRule'] !== undefined

const checkRole: Check = (attempt, object, old) => {
  const { resource } = attempt.served.info
  const name = nameOf(object)
  if (isAllowed(attempt, 'escalate', resource, name, attempt.namespace)) return
  confirm(attempt, (object as unknown as ClusterRole).rules ?? [], name)
  if (!(aggregates(object) || aggregates(old)) || faultOf(attempt, everything) === undefined) return
  throw forbiddenError({ group, resource }, name, 'must have cluster-admin privileges to use the aggregationRule')
}

const checkBinding: Check = (attempt, object) => {
  const { roleRef } = object as unknown as RoleBinding
  const { kind, name: role } = roleRef ?? {}
  const resource = kind === 'Role' ? 'roles' : 'clusterroles'
  const namespace = attempt.namespace
  if (isAllowed(attempt, 'bind', resource, role ?? '', namespace)) return
  const rules = attempt.judge.access.roles.rulesOf(roleRef, namespace ?? '')
  if (rules === undefined) throw notFoundError({ group, resource }, role ?? '')
  confirm(attempt, rules, nameOf(object))
}

function confirm(attempt: Attempt, rules: readonly PolicyRule[], name: string): void {
  const fault = faultOf(attempt, rules)
  if (fault !== undefined) throw forbiddenError({ group, resource: attempt.served.info.resource }, name, fault)
}

/** Which of the rules the caller has not himself, in words. */
function faultOf(attempt: Attempt, rules: readonly PolicyRule[]): string | undefined {
  const { caller } = attempt.request
  const own = attempt.judge.access.roles.rulesFor(caller, attempt.namespace ?? '')
  const missing = missingRules(own.rules, rules)
  if (missing.length === 0) return undefined
  const told = [...new Set(compactRules(missing).map(ruleText))].sort().join('\n')
  const lost = own.missing.length === 0 ? '' : `; resolution errors: [${own.missing.join(' ')}]`
  return `user ${JSON.stringify(caller.user)} (groups=${listText(caller.groups)}) is attempting to grant RBAC permissions not currently held:\n${told}${lost}`
}

/** By bucket. */
export const escalationChecks = (judge: Judge): Readonly<Record<string, NonNullable<ResourceHooks['reserve']>>> => ({
  [rbacBuckets.ClusterRole]: reserving(judge, checkRole),
  [rbacBuckets.Role]: reserving(judge, checkRole),
  [rbacBuckets.ClusterRoleBinding]: reserving(judge, checkBinding),
  [rbacBuckets.RoleBinding]: reserving(judge, checkBinding),
})
