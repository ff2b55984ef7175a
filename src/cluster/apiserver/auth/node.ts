// The Node authoriser (plugin/pkg/auth/authorizer/node): a kubelet may read what the pods on its node refer to, and has its
// own Node, lease and CSINode; of everything else it may do what the fixed rules of nodes say.

import { type Pod, type PolicyRule, referencedObjects } from '#kinds'
import type { Store } from '#store'
import type { AccessQuestion } from '../options.ts'
import { allowed, type Decision, refusedFor } from './decision.ts'
import { nodeRules } from './policy/component-roles.ts'
import { rulesOf } from './policy/notation.ts'
import { allows } from './rbac.ts'

const userPrefix = 'system:node:'
let rules: readonly PolicyRule[] | undefined

/** The node that a caller is the kubelet of. */
export function nodeOf({ user, groups }: AccessQuestion['caller']): string | undefined {
  return user.startsWith(userPrefix) && groups.includes('system:nodes') ? user.slice(userPrefix.length) : undefined
}

/** Not allowing is no refusal: roles may still allow it. */
export function decideForNode(store: Store, node: string, question: AccessQuestion): Decision {
  const { group = '', resource } = question
  const own = resource === undefined ? undefined : byResource[group === '' ? resource : `${resource}.${group}`]
  const decided = own?.({ store, node, question })
  if (decided !== undefined) return decided
  rules ??= rulesOf(nodeRules)
  return rules.some((rule) => allows(rule, question)) ? allowed : refusedFor('')
}

interface Asked {
  readonly store: Store
  readonly node: string
  readonly question: AccessQuestion
}

/** Undefined: the fixed rules decide. */
type Judge = (asked: Asked) => Decision | undefined

/** Objects that only those may see whose pods refer to them. */
const ofPods = (kind: string, asked: Asked): Decision => {
  const { store, node, question } = asked
  const { name = '', namespace = '' } = question
  if (name === '') return refusedFor('No Object name found')
  const key = namespace === '' ? name : `${namespace}/${name}`
  for (const pod of podsOf(store, node)) if (referencesOf(store, pod).has(`${kind} ${key}`)) return allowed
  return refusedFor(`no relationship found between node '${node}' and this object`)
}

function* podsOf(store: Store, node: string): Iterable<Pod> {
  for (const { value } of store.list('pods').entries) {
    const pod = value as unknown as Pod
    if (pod.spec.nodeName === node) yield pod
  }
}

/** What a pod refers to, `KIND NAMESPACE/NAME`; of claims also the volumes that they have. */
function referencesOf(store: Store, pod: Pod): ReadonlySet<string> {
  const { namespace = '' } = pod.metadata
  const found = new Set<string>([`serviceaccounts ${namespace}/${pod.spec.serviceAccountName ?? 'default'}`])
  for (const { resource, name } of referencedObjects(pod)) {
    found.add(`${resource} ${namespace}/${name}`)
    if (resource !== 'persistentvolumeclaims') continue
    const claim = store.get(resource, `${namespace}/${name}`)?.value['spec'] as { volumeName?: string } | undefined
    if (claim?.volumeName !== undefined) found.add(`persistentvolumes ${claim.volumeName}`)
  }
  for (const status of pod.status?.resourceClaimStatuses ?? [])
    if (status.resourceClaimName) found.add(`resourceclaims ${namespace}/${status.resourceClaimName}`)
  for (const { resourceClaimName } of pod.spec.resourceClaims ?? [])
    if (resourceClaimName) found.add(`resourceclaims ${namespace}/${resourceClaimName}`)
  return found
}

const readable =
  (kind: string): Judge =>
  (asked) => {
    const { verb, subresource = '', namespace = '' } = asked.question
    if (!['get', 'list', 'watch'].includes(verb)) return refusedFor('can only read resources of this type')
    if (subresource !== '') return refusedFor('cannot read subresource')
    if (namespace === '') return refusedFor('can only read namespaced object of this type')
    return ofPods(kind, asked)
  }

const gettable =
  (kind: string): Judge =>
  (asked) => {
    const { verb, subresource = '' } = asked.question
    if (kind === 'persistentvolumeclaims' && subresource === 'status')
      return ['get', 'update', 'patch'].includes(verb)
        ? ofPods(kind, asked)
        : refusedFor('can only get/update/patch this type')
    if (verb !== 'get') return refusedFor('can only get individual resources of this type')
    return subresource === '' ? ofPods(kind, asked) : refusedFor('cannot get subresource')
  }

const attachments: Judge = ({ store, node, question: { verb, name = '' } }) => {
  if (verb !== 'get') return refusedFor('can only get individual resources of this type')
  const found = store.get('volumeattachments.storage.k8s.io', name)?.value['spec'] as { nodeName?: string } | undefined
  return found?.nodeName === node ? allowed : refusedFor(`no relationship found between node '${node}' and this object`)
}

const accounts: Judge = (asked) => {
  const { verb, subresource = '', name = '' } = asked.question
  if (subresource === '' && (verb === 'list' || verb === 'watch')) return undefined
  if (verb === 'get' && subresource === '') return ofPods('serviceaccounts', asked)
  if (verb !== 'create' || name === '') return refusedFor('can only create tokens for individual service accounts')
  if (subresource !== 'token') return refusedFor('can only create token subresource of serviceaccount')
  return ofPods('serviceaccounts', asked)
}

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete']

const leases: Judge = ({ node, question: { verb, namespace = '', name = '' } }) => {
  if (!ownVerbs.includes(verb)) return refusedFor('can only get, create, update, patch, or delete a node lease')
  if (namespace !== 'kube-node-lease')
    return refusedFor('can only access leases in the "kube-node-lease" system namespace')
  if (verb !== 'create' && name !== node)
    return refusedFor('can only access node lease with the same name as the requesting node')
  return allowed
}

const csiNodes: Judge = ({ node, question: { verb, subresource = '', name = '' } }) => {
  if (!ownVerbs.includes(verb)) return refusedFor('can only get, create, update, patch, or delete a CSINode')
  if (subresource !== '') return refusedFor('cannot authorize CSINode subresources')
  if (verb !== 'create' && name !== node)
    return refusedFor('can only access CSINode with the same name as the requesting node')
  return allowed
}

/** Of new ones NodeRestriction sees to whose they are. */
const slices: Judge = ({ store, node, question }) => {
  const { verb, subresource = '', name = '', fieldSelector = '' } = question
  if (subresource !== '') return refusedFor('cannot authorize ResourceSlice subresources')
  if (verb === 'create') return allowed
  if (['list', 'watch', 'deletecollection'].includes(verb))
    return fieldSelector.split(',').includes(`spec.nodeName=${node}`)
      ? allowed
      : refusedFor('can only list/watch/deletecollection resourceslices with spec.nodeName field selector')
  if (!ownVerbs.includes(verb)) return refusedFor('can only get, create, update, patch, or delete a ResourceSlice')
  const found = store.get('resourceslices.resource.k8s.io', name)?.value['spec'] as { nodeName?: string } | undefined
  return found?.nodeName === node ? allowed : refusedFor(`no relationship found between node '${node}' and this object`)
}

const nodes: Judge = ({ node, question: { verb, name = '' } }) => {
  if (!['get', 'list', 'watch'].includes(verb)) return undefined
  return name === node ? allowed : refusedFor(`node '${node}' cannot read '${name}', only its own Node object`)
}

const pods: Judge = ({ store, node, question }) => {
  const { verb, subresource = '', namespace = '', name = '', fieldSelector = '' } = question
  if (verb === 'list' || verb === 'watch')
    return fieldSelector.split(',').includes(`spec.nodeName=${node}`)
      ? allowed
      : refusedFor(`can only list/watch pods with spec.nodeName field selector`)
  if (verb !== 'get' || subresource !== '') return undefined
  const pod = store.get('pods', `${namespace}/${name}`)?.value as unknown as Pod | undefined
  return pod?.spec.nodeName === node
    ? allowed
    : refusedFor(`no relationship found between node '${node}' and this object`)
}

const byResource: Readonly<Record<string, Judge>> = {
  secrets: readable('secrets'),
  configmaps: readable('configmaps'),
  persistentvolumeclaims: gettable('persistentvolumeclaims'),
  persistentvolumes: gettable('persistentvolumes'),
  'resourceclaims.resource.k8s.io': gettable('resourceclaims'),
  'volumeattachments.storage.k8s.io': attachments,
  serviceaccounts: accounts,
  'leases.coordination.k8s.io': leases,
  'csinodes.storage.k8s.io': csiNodes,
  'resourceslices.resource.k8s.io': slices,
  nodes,
  pods,
}
