// The roles and bindings that every cluster has, as objects: the tables of this folder, labelled as Kubernetes labels them.

import {
  ClusterRole,
  ClusterRoleBinding,
  type Kind,
  type PolicyRule,
  type RbacV1Subject,
  Role,
  RoleBinding,
} from '#kinds'
import type { KubeObject } from '#objects'
import { componentRoles } from './component-roles.ts'
import { controllerRoles } from './controller-roles.ts'
import { type LocalBinding, localBindings, localRoles } from './namespace-roles.ts'
import { rulesOf } from './notation.ts'
import { aggregateParts, aggregates, userRoles } from './user-roles.ts'

export interface PolicyObject {
  readonly kind: Kind<never>
  readonly object: KubeObject
}

/** What is granted to somebody from outside Kubernetes who runs with the cluster: a role, bound to the user. */
export interface Grant {
  readonly name: string
  readonly user: string
  /** In the notation of the tables: `VERBS | GROUPS | RESOURCES`, one a line. */
  readonly rules: string
}

const apiVersion = 'rbac.authorization.k8s.io/v1'
const apiGroup = 'rbac.authorization.k8s.io'
const controllerPrefix = 'system:controller:'
const gathers = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`

interface Place {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
}

const metadataOf = ({ name, namespace, labels = {} }: Place): KubeObject['metadata'] => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
})

function clusterRole(place: Place, rules: readonly PolicyRule[] | null, more: Partial<ClusterRole> = {}): PolicyObject {
  const object = { apiVersion, kind: 'ClusterRole', metadata: metadataOf(place), ...more, rules }
  return { kind: ClusterRole as Kind<never>, object }
}

const labelsFor = (roles: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(roles.map((role) => [gathers(role), 'true']))

function* clusterRoles(): Iterable<PolicyObject> {
  for (const [name, into] of Object.entries(aggregates)) {
    const clusterRoleSelectors = [{ matchLabels: { [gathers(name)]: 'true' } }]
    yield clusterRole({ name, labels: labelsFor(into) }, null, { aggregationRule: { clusterRoleSelectors } })
  }
  for (const [name, rules] of Object.entries(aggregateParts))
    yield clusterRole({ name: `system:aggregate-to-${name}`, labels: labelsFor([name]) }, rulesOf(rules))
  for (const [name, rules] of Object.entries({ ...userRoles, ...componentRoles }))
    yield clusterRole({ name }, rulesOf(rules))
  for (const [name, rules] of Object.entries(controllerRoles))
    yield clusterRole({ name: `${controllerPrefix}${name}` }, rulesOf(rules))
}

const user = (name: string): RbacV1Subject => ({ apiGroup, kind: 'User', name })
const group = (name: string): RbacV1Subject => ({ apiGroup, kind: 'Group', name })
const account = (name: string): RbacV1Subject => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })

/** Who has the role of the same name. */
const boundTo: Readonly<Record<string, readonly RbacV1Subject[]>> = {
  'cluster-admin': [group('system:masters')],
  'system:monitoring': [group('system:monitoring')],
  'system:discovery': [group('system:authenticated')],
  'system:basic-user': [group('system:authenticated')],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:node-proxier': [user('system:kube-proxy')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  'system:kube-dns': [account('kube-dns')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
  // Nobody: nodes have what the Node authoriser gives them.
  'system:node': [],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
}

function clusterBinding(metadata: KubeObject['metadata'], role: string, to: readonly RbacV1Subject[]): PolicyObject {
  const roleRef = { apiGroup, kind: 'ClusterRole', name: role }
  const subjects = to.length === 0 ? {} : { subjects: to }
  const object = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, ...subjects }
  return { kind: ClusterRoleBinding as Kind<never>, object }
}

function* clusterBindings(): Iterable<PolicyObject> {
  for (const [name, to] of Object.entries(boundTo)) yield clusterBinding(metadataOf({ name }), name, to)
  for (const controller of Object.keys(controllerRoles)) {
    const name = `${controllerPrefix}${controller}`
    yield clusterBinding(metadataOf({ name }), name, [account(controller)])
  }
}

function* local(): Iterable<PolicyObject> {
  for (const { rules, ...place } of localRoles) {
    const object = { apiVersion, kind: 'Role', metadata: metadataOf(place), rules: rulesOf(rules) }
    yield { kind: Role as Kind<never>, object }
  }
  for (const { role, to, ...place } of localBindings) {
    const roleRef = { apiGroup, kind: 'Role', name: role }
    const object = {
      apiVersion,
      kind: 'RoleBinding',
      metadata: metadataOf(place),
      roleRef,
      subjects: to.map(subjectOf),
    }
    yield { kind: RoleBinding as Kind<never>, object }
  }
}

function subjectOf(text: LocalBinding['to'][number]): RbacV1Subject {
  const name = text.slice(text.indexOf(':') + 1)
  return text.startsWith('account:') ? account(name) : user(name)
}

let made: readonly PolicyObject[] | undefined

/** All of them, roles before bindings; made once, as they never change. */
export function policyObjects(): readonly PolicyObject[] {
  made ??= [...clusterRoles(), ...clusterBindings(), ...local()]
  return made
}

/** A role and its binding; both are left alone once they are there. */
export function grantObjects({ name, user: to, rules }: Grant): readonly PolicyObject[] {
  const metadata = { name, labels: { 'app.kubernetes.io/managed-by': 'homeostat' } }
  const role = { apiVersion, kind: 'ClusterRole', metadata, rules: rulesOf(rules) }
  const [, , namespace, account = ''] = to.split(':')
  const subject = to.startsWith('system:serviceaccount:')
    ? { kind: 'ServiceAccount', name: account, namespace: namespace ?? '' }
    : user(to)
  return [{ kind: ClusterRole as Kind<never>, object: role }, clusterBinding(metadata, name, [subject])]
}
