// The ResourceClaims of a pod: which they are, whether they are there, and which devices are in use. Allocations that were
// decided count at once (in flight), before the cache shows them.

import {
  type AllocationResult,
  matchesNodeSelector,
  Pod,
  type PodResourceClaim,
  ResourceV1ResourceClaim as ResourceClaim,
} from '#kinds'
import type { Cache, Index } from '#reconcile'
import type { NodeState } from '../node-state.ts'

export { ResourceClaim }

/** So many pods can share a claim. */
const mostConsumers = 256

const none: readonly never[] = []

/** `undefined`: the claim is not made yet; `''`: there is none to be made. */
export function claimNameFor(pod: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  if (resourceClaimName !== undefined) return resourceClaimName
  const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === name)
  return made === undefined ? undefined : (made.resourceClaimName ?? '')
}

export const podsByResourceClaim: Index<Pod> = {
  name: 'resource claim',
  kind: Pod,
  values: (pod) =>
    pod.spec.resourceClaims === undefined
      ? none
      : pod.spec.resourceClaims.flatMap((claim) => {
          const name = claimNameFor(pod, claim)
          return name === undefined || name === '' ? [] : [`${pod.metadata.namespace}/${name}`]
        }),
}

export interface PodClaims {
  readonly claims: readonly ResourceClaim[]
  /** Why the pod cannot even be looked at. */
  readonly missing?: string
}

const noClaims: PodClaims = { claims: none }

export function claimsOfPod(pod: Pod, objects: Cache): PodClaims {
  const wanted = pod.spec.resourceClaims
  if (wanted === undefined || wanted.length === 0) return noClaims
  const claims: ResourceClaim[] = []
  for (const each of wanted) {
    const name = claimNameFor(pod, each)
    const { namespace } = pod.metadata
    if (name === undefined)
      return { claims: none, missing: `pod "${namespace}/${pod.metadata.name}": ResourceClaim not created yet` }
    if (name === '') continue
    const claim = objects.get(ResourceClaim, `${namespace}/${name}`)
    if (claim === undefined) return { claims: none, missing: `resourceclaim.resource.k8s.io "${name}" not found` }
    if (claim.metadata.deletionTimestamp !== undefined)
      return { claims: none, missing: `resourceclaim "${name}" is being deleted` }
    const isOwned = claim.metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid) === true
    if (each.resourceClaimTemplateName !== undefined && !isOwned)
      return {
        claims: none,
        missing: `ResourceClaim ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
      }
    claims.push(claim)
  }
  return { claims }
}

export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  status?.reservedFor?.some(({ uid }) => uid === metadata.uid) === true

/** The devices that it has, if it has some. */
export function isUsableOn({ status }: ResourceClaim, { node }: NodeState): boolean {
  const selector = status?.allocation?.nodeSelector
  return selector === undefined || (node !== undefined && matchesNodeSelector(selector, node))
}

export const canBeReserved = ({ status }: ResourceClaim): boolean => (status?.reservedFor?.length ?? 0) < mostConsumers

export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`

const idsOf = (allocation: AllocationResult | undefined): readonly string[] =>
  (allocation?.devices?.results ?? none)
    .filter(({ adminAccess }) => adminAccess !== true)
    .map(({ driver, pool, device }) => deviceId(driver, pool, device))

const claimsByDevice: Index<ResourceClaim> = {
  name: 'device',
  kind: ResourceClaim,
  values: ({ status }) => idsOf(status?.allocation),
}

/** Allocations that are being written. */
export class InFlight {
  readonly #byClaim = new Map<string, ReadonlySet<string>>()

  add({ metadata }: ResourceClaim, allocation: AllocationResult): void {
    this.#byClaim.set(metadata.uid ?? '', new Set(idsOf(allocation)))
  }

  remove({ metadata }: ResourceClaim): void {
    this.#byClaim.delete(metadata.uid ?? '')
  }

  /** The cache shows the allocation, or the claim is gone. */
  seen(claim: ResourceClaim, isThere: boolean): void {
    if (!isThere || claim.status?.allocation !== undefined) this.remove(claim)
  }

  isPending({ metadata }: ResourceClaim): boolean {
    return this.#byClaim.has(metadata.uid ?? '')
  }

  holds(id: string): boolean {
    for (const ids of this.#byClaim.values()) if (ids.has(id)) return true
    return false
  }
}

export const isInUse = (id: string, objects: Cache, inFlight: InFlight): boolean =>
  inFlight.holds(id) || objects.by(claimsByDevice, id).length > 0
