// What Roles and ClusterRoles allow to whom they are bound (plugin/pkg/auth/authorizer/rbac). Members of system:masters
// may do everything; what Kubernetes grants to all users, and to its own signer, stands here as roles that nobody can take
// away.

import type { ClusterRole, ClusterRoleBinding, RoleBinding } from '#kinds'
import type { AnyObject } from '#objects'
import type { Store } from '#store'
import type { AccessQuestion } from '../options.ts'

export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

type Rule = NonNullable<ClusterRole['rules']>[number]
type Subject = NonNullable<RoleBinding['subjects']>[number]
type Caller = AccessQuestion['caller']

const buckets = {
  ClusterRole: 'clusterroles.rbac.authorization.k8s.io',
  Role: 'roles.rbac.authorization.k8s.io',
  ClusterRoleBinding: 'clusterrolebindings.rbac.authorization.k8s.io',
  RoleBinding: 'rolebindings.rbac.authorization.k8s.io',
} as const

/** system:public-info-viewer, for everybody. */
const publicRules: readonly Rule[] = [
  { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
]

/** system:basic-user and system:discovery, for all who are known. */
export const basicRules: readonly Rule[] = [
  {
    verbs: ['create'],
    apiGroups: ['authorization.k8s.io'],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  },
  { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
  {
    verbs: ['get'],
    nonResourceURLs: [
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ],
  },
]

/** system:controller:certificate-controller: what the control plane signs, and approves by itself. */
const certificateController = 'system:serviceaccount:kube-system:certificate-controller'
const forSigners = (verb: string, resourceNames: readonly string[]): Rule => ({
  verbs: [verb],
  apiGroups: ['certificates.k8s.io'],
  resources: ['signers'],
  resourceNames,
})
const certificateRules: readonly Rule[] = [
  forSigners('approve', ['kubernetes.io/kube-apiserver-client-kubelet']),
  forSigners('sign', [
    'kubernetes.io/kube-apiserver-client',
    'kubernetes.io/kube-apiserver-client-kubelet',
    'kubernetes.io/kubelet-serving',
    'kubernetes.io/legacy-unknown',
  ]),
]

export function decideByRoles(store: Store, question: AccessQuestion): Decision {
  const { caller, namespace } = question
  if (caller.groups.includes('system:masters')) return { allowed: true, reason: '' }
  const missing: string[] = []
  for (const { rules, by } of grantsOf(store, caller, namespace)) {
    if (typeof rules === 'string') missing.push(rules)
    else if (rules.some((rule) => allows(rule, question)))
      return { allowed: true, reason: by === '' ? '' : `RBAC: allowed by ${by}` }
  }
  if (missing.length === 0) return { allowed: false, reason: '' }
  return { allowed: false, reason: `RBAC: ${missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`}` }
}

/** All that a caller is granted for a namespace, or cluster-wide. */
export const rulesFor = (store: Store, caller: Caller, namespace: string): readonly Rule[] =>
  [...grantsOf(store, caller, namespace)].flatMap(({ rules }) => (typeof rules === 'string' ? [] : rules))

interface Grant {
  /** The rules of a role, or why there are none. */
  readonly rules: readonly Rule[] | string
  readonly by: string
}

function* grantsOf(store: Store, caller: Caller, namespace: string | undefined): Iterable<Grant> {
  if (caller.groups.includes('system:authenticated')) yield { rules: basicRules, by: '' }
  yield { rules: publicRules, by: '' }
  if (caller.user === certificateController) yield { rules: certificateRules, by: '' }
  for (const binding of listed<ClusterRoleBinding>(store, buckets.ClusterRoleBinding)) {
    const subject = binding.subjects?.find((one) => isMeant(one, caller, ''))
    if (subject === undefined) continue
    const what = `ClusterRoleBinding "${binding.metadata.name}"`
    yield grantOf(store, binding.roleRef, { what, namespace: '', subject })
  }
  if (namespace === undefined || namespace === '') return
  for (const binding of listed<RoleBinding>(store, buckets.RoleBinding)) {
    if (binding.metadata.namespace !== namespace) continue
    const subject = binding.subjects?.find((one) => isMeant(one, caller, namespace))
    if (subject === undefined) continue
    const what = `RoleBinding "${binding.metadata.name}/${namespace}"`
    yield grantOf(store, binding.roleRef, { what, namespace, subject })
  }
}

const listed = <T>(store: Store, bucket: string): readonly T[] =>
  store.list(bucket).entries.map(({ value }) => value as unknown as T)

function grantOf(
  store: Store,
  { kind, name }: RoleBinding['roleRef'],
  { what, namespace, subject }: { readonly what: string; readonly namespace: string; readonly subject: Subject },
): Grant {
  const isLocal = kind === 'Role'
  const role = store.get(isLocal ? buckets.Role : buckets.ClusterRole, isLocal ? `${namespace}/${name}` : name)
  if (role === undefined)
    return { rules: `${kind.toLowerCase()}.rbac.authorization.k8s.io "${name}" not found`, by: '' }
  const { rules } = role.value as AnyObject & Pick<ClusterRole, 'rules'>
  return { rules: rules ?? [], by: `${what} of ${kind} "${name}" to ${textOf(subject, namespace)}` }
}

function textOf({ kind, name, namespace }: Subject, ofBinding: string): string {
  return `${kind} "${kind === 'ServiceAccount' ? `${name}/${namespace || ofBinding}` : name}"`
}

function isMeant({ kind, name, namespace }: Subject, { user, groups }: Caller, ofBinding: string): boolean {
  switch (kind) {
    case 'User':
      return user === name
    case 'Group':
      return groups.includes(name)
    case 'ServiceAccount': {
      const home = namespace || ofBinding
      return home !== '' && user === `system:serviceaccount:${home}:${name}`
    }
    default:
      return false
  }
}

const has = (values: readonly string[] | null | undefined, wanted: string): boolean =>
  values?.some((value) => value === '*' || value === wanted) === true

function allows(
  rule: Rule,
  { verb, group = '', resource, subresource = '', name = '', path = '' }: AccessQuestion,
): boolean {
  if (!has(rule.verbs, verb)) return false
  if (resource === undefined) return rule.nonResourceURLs?.some((url) => matchesUrl(url, path)) === true
  if (!has(rule.apiGroups, group)) return false
  const combined = subresource === '' ? resource : `${resource}/${subresource}`
  const inResources = has(rule.resources, combined) || (subresource !== '' && has(rule.resources, `*/${subresource}`))
  const { resourceNames = [] } = rule
  return inResources && (resourceNames.length === 0 || resourceNames.includes(name))
}

const matchesUrl = (url: string, path: string): boolean =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')))
