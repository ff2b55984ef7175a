// Makes the ResourceClaims of pods from templates, and takes devices back from claims that nobody uses any more.
// Reads: Pods, ResourceClaimTemplates, ResourceClaims.  Writes: ResourceClaims (create, status, finalizer, delete),
// Pod.status.resourceClaimStatuses.

import { isNotFound } from '#api'
import { Pod, type PodResourceClaim, ResourceV1ResourceClaim as ResourceClaim, ResourceClaimTemplate } from '#kinds'
import { objectKey } from '#objects'
import { done, type Index, isTerminating, type Kit, type Outcome, recordEvent, watching } from '#reconcile'
import { controllerReference } from '../claims.ts'
import { defineController } from '../define.ts'
import { findLiveOf } from '../live.ts'
import { messageOf } from '../pod-control.ts'
import { decideClaim, finalizer, generateNameFor, isDone, podClaimName } from './decide.ts'

const account = 'resource-claim-controller'

/** Under which the status of pods is applied. */
const fieldManager = 'ResourceClaimController'

const hasClaims = ({ spec }: Pod): boolean => (spec.resourceClaims?.length ?? 0) > 0

const podsByTemplate: Index<Pod> = {
  name: 'resource claim template',
  kind: Pod,
  values: ({ metadata, spec }) =>
    (spec.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
      name === undefined ? [] : [`${metadata.namespace}/${name}`],
    ),
}

/** Claims by the pods that are to use them, and by the pod that they were made for. */
const claimsByPod: Index<ResourceClaim> = {
  name: 'pod',
  kind: ResourceClaim,
  values: ({ metadata, status }) => {
    const names = [
      ...(status?.reservedFor ?? []).map(({ name }) => name),
      ...(metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Pod').map(({ name }) => name),
    ]
    return [...new Set(names)].map((name) => `${metadata.namespace}/${name}`)
  },
}

export const resourceClaimMaker = defineController({
  name: 'resourceclaim-maker',
  account,
  reconciles: Pod,
  watches: [
    watching(Pod, (pod) => (hasClaims(pod) ? [objectKey(pod)] : [])),
    watching(ResourceClaimTemplate, (template, _old, cache) =>
      cache.by(podsByTemplate, objectKey(template)).map(objectKey),
    ),
    watching(ResourceClaim, ({ metadata }) =>
      (metadata.ownerReferences ?? []).flatMap(({ kind, name }) =>
        kind === 'Pod' ? [`${metadata.namespace}/${name}`] : [],
      ),
    ),
  ],
  reconcile: makeClaims,
})

export const resourceClaimController = defineController({
  name: 'resourceclaim',
  account,
  reconciles: ResourceClaim,
  watches: [
    watching(ResourceClaim, (claim) => [objectKey(claim)]),
    watching(Pod, (pod, _old, cache) => (hasClaims(pod) ? cache.by(claimsByPod, objectKey(pod)).map(objectKey) : [])),
  ],
  reconcile: reconcileClaim,
})

async function makeClaims(key: string, kit: Kit): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  if (pod === undefined || isTerminating(pod)) return done()
  const made: { name: string; resourceClaimName: string }[] = []
  for (const wanted of pod.spec.resourceClaims ?? []) {
    if (wanted.resourceClaimTemplateName === undefined || hasClaim(pod, wanted, kit)) continue
    try {
      const claim = existingClaim(pod, wanted, kit) ?? (await create(pod, wanted, kit))
      made.push({ name: wanted.name, resourceClaimName: claim.metadata.name ?? '' })
    } catch (error) {
      const message = `PodResourceClaim ${wanted.name}: ${messageOf(error)}`
      recordEvent(kit, {
        object: pod,
        component: 'resource_claim',
        type: 'Warning',
        reason: 'FailedResourceClaimCreation',
        message,
      })
      throw error
    }
  }
  if (made.length > 0) await tellPod(pod, made, kit)
  if (pod.spec.nodeName && !isDone(pod))
    for (const wanted of pod.spec.resourceClaims ?? []) await reserve(pod, wanted, kit)
  return done()
}

/** For a pod that was given its node by another than the scheduler, whose own pods have their claims reserved. */
async function reserve(
  { metadata, status }: Pod,
  { name, resourceClaimName }: PodResourceClaim,
  kit: Kit,
): Promise<void> {
  const made = status?.resourceClaimStatuses?.find((one) => one.name === name)
  const claim = kit.cache.get(ResourceClaim, `${metadata.namespace}/${resourceClaimName ?? made?.resourceClaimName}`)
  const { allocation, reservedFor = [] } = claim?.status ?? {}
  const { name: podName = '', uid = '' } = metadata
  if (claim === undefined || allocation === undefined || reservedFor.some((one) => one.uid === uid)) return
  const consumer = { resource: 'pods', name: podName, uid }
  await kit.client.updateStatus(ResourceClaim, {
    ...claim,
    status: { ...claim.status, reservedFor: [...reservedFor, consumer] },
  })
}

function hasClaim({ metadata, status }: Pod, { name }: PodResourceClaim, kit: Kit): boolean {
  const known = status?.resourceClaimStatuses?.find((one) => one.name === name)
  if (known === undefined) return false
  if (known.resourceClaimName === undefined) return true
  const claim = kit.cache.get(ResourceClaim, `${metadata.namespace}/${known.resourceClaimName}`)
  return claim?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true
}

/** One that was made, but the pod was not told. */
const existingClaim = (pod: Pod, { name }: PodResourceClaim, kit: Kit): ResourceClaim | undefined =>
  kit.cache
    .ownedBy(ResourceClaim, pod.metadata.uid ?? '')
    .find(({ metadata }) => metadata.annotations?.[podClaimName] === name && metadata.deletionTimestamp === undefined)

async function create(pod: Pod, { name, resourceClaimTemplateName = '' }: PodResourceClaim, kit: Kit) {
  const { namespace = '', name: podName = '' } = pod.metadata
  const template = kit.cache.get(ResourceClaimTemplate, `${namespace}/${resourceClaimTemplateName}`)
  if (template === undefined) {
    const why = `resourceclaimtemplate.resource.k8s.io "${resourceClaimTemplateName}" not found`
    throw new Error(`resource claim template "${resourceClaimTemplateName}": ${why}`)
  }
  const { metadata: given, spec } = template.spec
  const claim: ResourceClaim = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      generateName: generateNameFor(podName, name),
      namespace,
      ...(given?.labels === undefined ? {} : { labels: given.labels }),
      annotations: { ...given?.annotations, [podClaimName]: name },
      ownerReferences: [controllerReference(Pod, pod)],
    },
    spec,
  }
  try {
    return await kit.client.create(ResourceClaim, claim)
  } catch (error) {
    // A claim that has no name yet is called by none.
    throw new Error(`create ResourceClaim : ${messageOf(error)}`, { cause: error })
  }
}

async function tellPod(
  pod: Pod,
  made: readonly { readonly name: string; readonly resourceClaimName: string }[],
  kit: Kit,
): Promise<void> {
  // What is applied is all that this manager has to say: claims that were told before are told again.
  const others = (pod.status?.resourceClaimStatuses ?? []).filter(({ name }) => !made.some((one) => one.name === name))
  const { namespace = '', name = '' } = pod.metadata
  const applied: Omit<Pod, 'spec'> = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    status: { resourceClaimStatuses: [...others, ...made] },
  }
  try {
    await kit.client.apply(Pod, applied as Pod, { fieldManager, force: true, subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** Consumers that the cache does not show: the scheduler may have reserved the claim for them just now. */
async function unseenConsumers(kit: Kit, { metadata, status }: ResourceClaim): Promise<ReadonlyMap<string, Pod>> {
  const { namespace = '' } = metadata
  const unseen = new Map<string, Pod>()
  for (const { resource, name, uid } of status?.reservedFor ?? []) {
    if (resource !== 'pods' || kit.cache.get(Pod, `${namespace}/${name}`) !== undefined) continue
    const pod = await findLiveOf(kit, Pod, { namespace, name, uid })
    if (pod !== undefined) unseen.set(name, pod)
  }
  return unseen
}

async function reconcileClaim(key: string, kit: Kit): Promise<Outcome> {
  const claim = kit.cache.get(ResourceClaim, key)
  if (claim === undefined) return done()
  const { namespace = '', name = '', uid } = claim.metadata
  const unseen = await unseenConsumers(kit, claim)
  const podOf = (pod: string): Pod | undefined => kit.cache.get(Pod, `${namespace}/${pod}`) ?? unseen.get(pod)
  const { status, dropsFinalizer, isUnused } = decideClaim(claim, podOf)
  try {
    const written = status === undefined ? claim : await kit.client.updateStatus(ResourceClaim, { ...claim, status })
    if (dropsFinalizer) {
      const finalizers = (written.metadata.finalizers ?? []).filter((one) => one !== finalizer)
      await kit.client.update(ResourceClaim, { ...written, metadata: { ...written.metadata, finalizers } })
    }
    if (isUnused && !isTerminating(claim))
      await kit.client.delete(ResourceClaim, { namespace, name }, uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}
