// How many pods there should be: the sizes of the controllers of the pods that a budget selects, each counted once. Kinds
// of one's own are asked through their scale subresource.

import { isNotFound } from '#api'
import {
  CustomResourceDefinition,
  Deployment,
  type Kind,
  type Pod,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from '#kinds'
import type { AnyObject, OwnerReference } from '#objects'
import type { Cache, Kit } from '#reconcile'
import { controllerOf } from '../pods.ts'
import { builtInKinds, customKinds, resourceName } from '../resources.ts'

export interface ScalableObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Pod['metadata']
  readonly spec: { readonly replicas?: number }
}

export interface Scale {
  readonly scale: number
  /** Some pods have no controller: nobody can say how many of them there should be. */
  readonly unmanaged: boolean
}

const scalableKinds: readonly Kind<ScalableObject>[] = [ReplicaSet, StatefulSet, ReplicationController]

/** Throws when the size of a controller cannot be told; the message says why. */
export async function expectedScale(kit: Kit, pods: readonly Pod[]): Promise<Scale> {
  const asked = new Set<string>()
  const scales = new Map<string, number>()
  let unmanaged = false
  for (const pod of pods) {
    const reference = controllerOf(pod)
    if (reference === undefined) unmanaged = true
    else if (!asked.has(reference.uid)) {
      asked.add(reference.uid)
      const { uid, replicas } = await scaleOf(kit, pod, reference)
      scales.set(uid, replicas)
    }
  }
  return { scale: [...scales.values()].reduce((total, replicas) => total + replicas, 0), unmanaged }
}

interface OwnScale {
  readonly uid: string
  readonly replicas: number
}

async function scaleOf(kit: Kit, pod: Pod, reference: OwnerReference): Promise<OwnScale> {
  const found = cachedScale(kit.cache, pod, reference) ?? (await askedScale(kit, pod, reference))
  if (found === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`)
  return found
}

/** Of the topmost controller. */
function cachedScale(cache: Cache, { metadata }: Pod, reference: OwnerReference): OwnScale | undefined {
  const kind = scalableKinds.find((one) => one.kind === reference.kind)
  const owner = kind === undefined ? undefined : cache.get(kind, `${metadata.namespace}/${reference.name}`)
  if (owner === undefined || owner.metadata.uid !== reference.uid) return undefined
  const above = controllerOf(owner)
  const deployment =
    above?.kind === 'Deployment' ? cache.get(Deployment, `${metadata.namespace}/${above.name}`) : undefined
  const top = deployment !== undefined && deployment.metadata.uid === above?.uid ? deployment : owner
  return { uid: top.metadata.uid ?? '', replicas: top.spec.replicas ?? 1 }
}

async function askedScale(kit: Kit, { metadata }: Pod, reference: OwnerReference): Promise<OwnScale | undefined> {
  const { apiVersion, kind: name } = reference
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const kind = [...builtInKinds, ...customKinds(kit.cache)].find((one) => one.group === group && one.kind === name)
  if (kind === undefined) throw new Error(`no matches for kind "${name}" in version "${apiVersion}"`)
  if (!hasScale(kind, kit.cache)) throw new Error(`${resourceName(kind)} does not implement the scale subresource`)
  const place = { namespace: metadata.namespace ?? '', name: reference.name }
  try {
    const request = { verb: 'get', resource: kind, ...place, subresource: 'scale' } as const
    const { body } = await kit.client.request(request, kit.signal)
    if (body.type !== 'object' || body.object.metadata.uid !== reference.uid) return undefined
    const { replicas = 0 } = (body.object as AnyObject & { readonly spec?: { readonly replicas?: number } }).spec ?? {}
    return { uid: reference.uid, replicas }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

const scaled: ReadonlySet<string> = new Set([
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'replicationcontrollers',
])

function hasScale(kind: Kind, cache: Cache): boolean {
  const resource = resourceName(kind)
  if (scaled.has(resource)) return true
  const version = cache.get(CustomResourceDefinition, resource)?.spec.versions.find(({ name }) => name === kind.version)
  return version?.subresources?.scale !== undefined
}
