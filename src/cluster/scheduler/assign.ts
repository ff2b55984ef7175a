// What comes between the choice of a node and the binding of the pod: its devices, then its volumes where they wait for the
// node. Room is kept from the choice on, so that others can be placed while the writes are under way.

import { ApiError, isConflict } from '#api'
import type { PersistentVolumeClaim } from '#kinds'
import { type Outcome, requeueAfter } from '#reconcile'
import { bind } from './binding.ts'
import { claimsToBind } from './claims.ts'
import type { At } from './desk.ts'
import { decideClaims, releaseClaims, writeClaim } from './devices/reserve.ts'
import { failed } from './failure.ts'
import type { Reservation } from './memory.ts'
import { PluginError } from './plugin.ts'
import { dynamicResourcesName } from './plugins/dynamic-resources.ts'
import type { PodFacts } from './pod-facts.ts'
import type { NodeState } from './view.ts'
import { chooseVolumes, openClaims } from './volume-choice.ts'
import { checkVolumes, writeVolumes } from './volume-writes.ts'

/** Claims are looked at so often, until they are bound. */
const checkEveryMs = 1000

/** Binds the pod, or its devices and volumes first. */
export async function assign(facts: PodFacts, node: NodeState, at: At): Promise<Outcome> {
  if (facts.spec.resourceClaims !== undefined) {
    const instead = await reserveDevices(facts, node, at)
    if (instead !== undefined) return instead
  }
  const claims = claimsToBind(facts, at.kit.cache)
  return claims.length === 0 ? bind(facts, node, at) : holdForVolumes(facts, claims, { node, ...at })
}

/** Writes the claims; undefined: they are the pod's. */
async function reserveDevices(facts: PodFacts, node: NodeState, { kit, desk }: At): Promise<Outcome | undefined> {
  const { snapshot, waiting } = desk.memory
  const decisions = decideClaims(facts, node, snapshot)
  const now = kit.world.clock.now()
  if (decisions === undefined) {
    waiting.retry(facts.key, now)
    return requeueAfter(waiting.delay(facts.key, now))
  }
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
    desk.memory.giveUp(facts.key)
    await releaseClaims(kit, facts)
    if (error instanceof PluginError)
      return failed(facts, `running PreBind plugin "${dynamicResourcesName}": ${error.message}`, { kit, desk })
    waiting.retry(facts.key, now)
    throw error
  }
}

interface Choice extends At {
  readonly node: NodeState
}

const ofVolumes = (fault: string): string => `running PreBind plugin "VolumeBinding": ${fault}`

async function holdForVolumes(
  facts: PodFacts,
  claims: readonly PersistentVolumeClaim[],
  { node, kit, desk }: Choice,
): Promise<Outcome> {
  const { memory } = desk
  const { clock } = kit.world
  const choice = chooseVolumes(openClaims(claims, kit.cache), node, kit.cache)
  memory.waiting.placed(facts.key)
  memory.reserve(facts, { nodeName: node.name })
  try {
    // Somebody else may have been faster.
    if (typeof choice === 'string') return again(facts, { kit, desk })
    const volumes = await writeVolumes(kit, choice, node.name)
    const now = clock.now()
    memory.reserve(facts, {
      nodeName: node.name,
      volumes: { written: volumes, since: now, checkAt: now + checkEveryMs },
    })
    return requeueAfter(checkEveryMs)
  } catch (error) {
    if (isConflict(error)) return again(facts, { kit, desk })
    memory.giveUp(facts.key)
    if (error instanceof ApiError) return failed(facts, ofVolumes(error.message), { kit, desk })
    memory.waiting.retry(facts.key, clock.now())
    throw error
  }
}

/** The pod is placed anew, with what the cache says by then. */
function again(facts: PodFacts, { kit, desk: { memory } }: At): Outcome {
  const now = kit.world.clock.now()
  memory.giveUp(facts.key)
  memory.waiting.retry(facts.key, now)
  return requeueAfter(memory.waiting.delay(facts.key, now))
}

/** A pod whose room is kept is bound as soon as its volumes are seen to be; undefined: it has to be placed anew. */
export async function resume(facts: PodFacts, held: Reservation, at: At): Promise<Outcome | undefined> {
  const { kit, desk } = at
  const { memory, plugins } = desk
  const now = kit.world.clock.now()
  const { nodeName, volumes } = held
  if (held.uid !== facts.pod.metadata.uid || volumes === undefined) {
    memory.giveUp(facts.key)
    return undefined
  }
  if (now < volumes.checkAt) return requeueAfter(volumes.checkAt - now)
  const node = memory.snapshot.node(nodeName)
  const found =
    node === undefined
      ? `failed to get node "${nodeName}": node "${nodeName}" not found`
      : checkVolumes(volumes.written, { node, objects: kit.cache })
  if (found === true && node !== undefined) return bind(facts, node, at)
  const isLate = now >= volumes.since + plugins.args.volumeBinding.bindTimeoutSeconds * 1000
  if (found === false && !isLate) {
    memory.reserve(facts, { nodeName, volumes: { ...volumes, checkAt: now + checkEveryMs } })
    return requeueAfter(checkEveryMs)
  }
  memory.giveUp(facts.key)
  await releaseClaims(kit, facts)
  const fault = typeof found === 'string' ? found : 'context deadline exceeded'
  return failed(facts, ofVolumes(`binding volumes: ${fault}`), at)
}
