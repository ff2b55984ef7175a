// Puts a pod on the node that was chosen for it: first its volumes, where they wait for the node, then the pod itself.
// Room is kept from the choice on, so that others can be placed while the writes are under way.

import { ApiError, isConflict, isNotFound } from '#api'
import {
  boundByControllerAnnotation,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  referenceToClaim,
  selectedNodeAnnotation,
} from '#kinds'
import { done, type Kit, type Outcome, recordSeriesEvent, requeueAfter } from '#reconcile'
import { claimsToBind, isPromised, volumesFor } from './claims.ts'
import type { At } from './desk.ts'
import { decideClaims, writeClaim } from './devices/reserve.ts'
import { failed } from './failure.ts'
import type { Reservation } from './memory.ts'
import { hint } from './plugin.ts'
import { volumeOn } from './plugins/volume-binding.ts'
import type { PodFacts } from './pod-facts.ts'
import type { Waker } from './profiles.ts'
import type { NodeState } from './view.ts'

const volumesBound: readonly Waker[] = [
  { plugin: 'VolumeBinding', hint: hint('claim') },
  { plugin: 'VolumeBinding', hint: hint('volume') },
]

/** Binds the pod, or its devices and volumes first. */
export async function assign(facts: PodFacts, node: NodeState, at: At): Promise<Outcome> {
  if (facts.spec.resourceClaims !== undefined) {
    const retry = await reserveDevices(facts, node, at)
    if (retry !== undefined) return retry
  }
  const claims = claimsToBind(facts, at.kit.cache)
  return claims.length === 0 ? bind(facts, node, at) : chooseForClaims(facts, claims, { node, ...at })
}

/** Writes the claims; undefined: they are the pod's. */
async function reserveDevices(facts: PodFacts, node: NodeState, { kit, desk }: At): Promise<Outcome | undefined> {
  const { snapshot, waiting } = desk.memory
  const decisions = decideClaims(facts, node, snapshot)
  const now = kit.world.clock.now()
  const again = (): Outcome => {
    snapshot.forget(facts.key)
    waiting.retry(facts.key, now)
    return requeueAfter(waiting.delay(facts.key, now))
  }
  if (decisions === undefined) return again()
  if (decisions.length === 0) return undefined
  // Nobody else begins with the pod meanwhile.
  waiting.hold(facts, [], now)
  snapshot.assume(facts, node.name)
  for (const { claim, allocation } of decisions) if (allocation !== undefined) snapshot.inFlight.add(claim, allocation)
  try {
    for (const decision of decisions) await writeClaim(kit, decision, facts.pod)
    return undefined
  } catch (error) {
    for (const { claim } of decisions) snapshot.inFlight.remove(claim)
    const outcome = again()
    if (!isConflict(error) && !isNotFound(error)) throw error
    return outcome
  }
}

interface Choice extends At {
  readonly node: NodeState
}

/** Each claim gets a volume that is there, or is told the node on which one shall be made. */
async function chooseForClaims(
  facts: PodFacts,
  claims: readonly PersistentVolumeClaim[],
  { node, kit, desk: { memory } }: Choice,
): Promise<Outcome> {
  const now = kit.world.clock.now()
  // Before the writes, so that whatever follows from them wakes the pod.
  memory.waiting.hold(facts, volumesBound, now)
  memory.reserve(facts, { nodeName: node.name, since: now })
  const taken = new Set<PersistentVolume>()
  try {
    for (const claim of claims) {
      if (isPromised(claim, node.name, kit.cache)) continue
      const volume = volumeOn(node, volumesFor(claim, kit.cache), taken)
      if (volume === undefined) await tellNode(kit, claim, node.name)
      else {
        taken.add(volume)
        await kit.client.update(PersistentVolume, volumeFor(claim, volume))
      }
    }
  } catch (error) {
    // Somebody else was faster with a volume or a claim: the pod is placed anew.
    memory.unreserve(facts.key)
    memory.waiting.retry(facts.key, now)
    if (!isConflict(error) && !isNotFound(error)) throw error
  }
  return requeueAfter(memory.waiting.delay(facts.key, now))
}

async function tellNode(kit: Kit, { metadata }: PersistentVolumeClaim, nodeName: string): Promise<void> {
  const { namespace = '', name = '' } = metadata
  const patch = { metadata: { annotations: { [selectedNodeAnnotation]: nodeName } } }
  await kit.client.patch(PersistentVolumeClaim, { namespace, name }, patch, { type: 'application/merge-patch+json' })
}

function volumeFor(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolume {
  const { metadata, spec } = volume
  return {
    ...volume,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [boundByControllerAnnotation]: 'yes' } },
    spec: { ...(spec as NonNullable<typeof spec>), claimRef: referenceToClaim(claim) },
  }
}

/** A pod whose room is kept is bound as soon as its volumes are; undefined: it has to be placed anew. */
export async function resume(facts: PodFacts, held: Reservation, at: At): Promise<Outcome | undefined> {
  const { kit, desk } = at
  const { memory, plugins } = desk
  const now = kit.world.clock.now()
  const open = claimsToBind(facts, kit.cache)
  const isSame = held.uid === facts.pod.metadata.uid
  const node = isSame ? memory.snapshot.node(held.nodeName) : undefined
  if (node !== undefined && open.length === 0) return bind(facts, node, at)
  const stays = open.every((claim) => isPromised(claim, held.nodeName, kit.cache))
  const until = held.since + plugins.args.volumeBinding.bindTimeoutSeconds * 1000
  if (node !== undefined && stays && now < until) {
    memory.waiting.hold(facts, volumesBound, now)
    return requeueAfter(Math.min(memory.waiting.delay(facts.key, now), Math.max(0, until - now)))
  }
  memory.unreserve(facts.key)
  if (now < until || node === undefined) return undefined
  return failed(facts, 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded', at)
}

async function bind(facts: PodFacts, node: NodeState, { kit, desk }: At): Promise<Outcome> {
  const { memory, instance, profile } = desk
  const { pod, key, namespace } = facts
  const { name = '', uid = '' } = pod.metadata
  memory.snapshot.assume(facts, node.name)
  memory.reserved.delete(key)
  memory.waiting.placed(key)
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node.name },
  }
  try {
    await kit.client.createSubresource(Pod, { namespace, name }, 'binding', binding)
  } catch (error) {
    const isUncertain = !(error instanceof ApiError) || error.code >= 500
    // It may be done, and only the answer lost: what is bound keeps its room, though the cache does not know of it yet.
    if (isUncertain && (await isBound(pod, node, kit))) return done()
    memory.snapshot.forget(key)
    memory.podChanged(key)
    const now = kit.world.clock.now()
    if (isNotFound(error) || isConflict(error)) {
      // It has gone, or somebody else has bound it: the cache will say so. Until then others come first.
      memory.waiting.retry(key, now)
      return requeueAfter(memory.waiting.delay(key, now))
    }
    if (isUncertain) {
      memory.waiting.retry(key, now)
      throw error
    }
    return failed(facts, `running Bind plugin "DefaultBinder": ${error.message}`, { kit, desk })
  }
  recordSeriesEvent(kit, {
    object: pod,
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: `Successfully assigned ${namespace}/${name} to ${node.name}`,
    controller: profile.schedulerName,
    instance,
  })
  return done()
}

async function isBound({ metadata }: Pod, { name: nodeName }: NodeState, { client }: Kit): Promise<boolean> {
  const { namespace = '', name = '', uid } = metadata
  try {
    const fresh = await client.get(Pod, { namespace, name })
    return fresh.metadata.uid === uid && fresh.spec.nodeName === nodeName
  } catch {
    return false
  }
}
