// Keeps what is broken in step with the Faults that exist: breaks what a new one names, frees what no Fault holds any
// more. One key for the whole cluster. What is broken right now is the outside world of this loop: it is compared with
// what should be, each time.
// Reads: Fault, Node, Pod.  Writes: Fault.status; kubelets, loops and watches of this machine.

import { isNotFound } from '#api'
import { Fault, type FaultStatus, Node, Pod } from '#kinds'
import type { Kubelet } from '#kubelet'
import { formatTime, isEqual } from '#objects'
import { done, type Kit, type LoopDefinition, type Outcome, type Runtime, requeueAfter, watching } from '#reconcile'
import type { ApiTrouble } from './api-errors.ts'
import {
  decideHeld,
  faultsLoop,
  type Held,
  holds,
  kindId,
  type NamedWebhookFault,
  type Surveyed,
  targetsOf,
  typesOf,
} from './decide.ts'
import { nextKillAt, victimsOf } from './kills.ts'
import { decideReboot, type Reboot, rebooting } from './reboots.ts'

export const faultsUser = 'system:homeostat:faults'

export interface FaultPlaces {
  readonly runtime: () => Runtime
  readonly api: ApiTrouble
  readonly kubelet: Kubelet | undefined
  readonly setWebhookFaults: (faults: readonly NamedWebhookFault[]) => void
}

/** While nothing that is to be killed runs, it is looked for again after this. */
const lookAgainMs = 1000
const key = 'cluster'

export function createFaultsLoop(places: FaultPlaces): LoopDefinition {
  const broken = new Broken(places)
  return {
    name: faultsLoop,
    user: faultsUser,
    manager: 'homeostat',
    watches: [
      watching(Fault, () => [key]),
      watching(Node, (node, old) => (isEqual(node.metadata.labels, old?.metadata.labels) ? [] : [key])),
    ],
    reads: [Pod],
    startKeys: [key],
    workers: 1,
    reconcile: (_key, kit) => keepFaults(kit, places, broken),
  }
}

async function keepFaults(kit: Kit, places: FaultPlaces, broken: Broken): Promise<Outcome> {
  const { cache } = kit
  const faults = cache.list(Fault)
  const runtime = places.runtime()
  const surveyed: Surveyed = {
    faults,
    nodes: cache.list(Node),
    nodeNames: places.kubelet?.nodeNames ?? [],
    loops: runtime.loops,
    kinds: runtime.figures().caches.map(({ kind }) => kind),
  }
  broken.become(decideHeld(surveyed))
  let nextMs = Number.POSITIVE_INFINITY
  for (const fault of faults) {
    if (!holds(fault)) continue
    const kills = killFor(fault, kit, places)
    nextMs = Math.min(nextMs, kills.nextMs)
    const reboot = places.kubelet === undefined ? undefined : decideReboot(fault, kit.world.clock.now())
    nextMs = Math.min(nextMs, reboot?.nextMs ?? nextMs)
    await report(fault, { kit, kubelet: places.kubelet, targets: targetsOf(fault, surveyed), kills, reboot })
  }
  return nextMs === Number.POSITIVE_INFINITY ? done() : requeueAfter(nextMs)
}

/** What this machine has broken; it frees only what it broke. */
class Broken {
  readonly #places: FaultPlaces
  #held: Held = decideHeld({ faults: [], nodes: [], nodeNames: [], loops: [], kinds: [] })

  constructor(places: FaultPlaces) {
    this.#places = places
  }

  become(wanted: Held): void {
    const { kubelet, api, setWebhookFaults } = this.#places
    const runtime = this.#places.runtime()
    const before = this.#held
    this.#held = wanted
    api.active = wanted.apiErrors
    setWebhookFaults(wanted.webhooks)
    if (!isEqual(before.outages, wanted.outages)) kubelet?.setOutages(wanted.outages)
    each(wanted.offline, before.offline, (name) => kubelet?.stopNode(name))
    each(before.rebooting, wanted.rebooting, (name) => kubelet?.rebootNode(name))
    each(before.offline, wanted.offline, (name) => kubelet?.startNode(name))
    kubelet?.setShortages(wanted.shortages)
    kubelet?.setNetworks(wanted.networks)
    kubelet?.setRuntimes(wanted.runtimes)
    if (!isEqual(before.storage, wanted.storage)) kubelet?.setStorageOutages(wanted.storage)
    // Until now nobody knew which nodes are silent.
    kubelet?.release()
    each(wanted.pausedLoops, before.pausedLoops, (name) => runtime.pauseLoop(name))
    each(before.pausedLoops, wanted.pausedLoops, (name) => runtime.resumeLoop(name))
    const kinds = new Map(runtime.figures().caches.map(({ kind }) => [kindId(kind), kind]))
    each(wanted.lostWatches, before.lostWatches, (id) => {
      const kind = kinds.get(id)
      if (kind !== undefined) runtime.pauseWatch(kind)
    })
    each(before.lostWatches, wanted.lostWatches, (id) => {
      const kind = kinds.get(id)
      if (kind !== undefined) runtime.resumeWatch(kind)
    })
  }
}

function each(these: ReadonlySet<string>, but: ReadonlySet<string>, act: (name: string) => void): void {
  for (const name of these) if (!but.has(name)) act(name)
}

interface Kills {
  readonly count: number
  readonly nextMs: number
}

const noKills: Kills = { count: 0, nextMs: Number.POSITIVE_INFINITY }

function killFor(fault: Fault, { cache, world }: Kit, { kubelet }: FaultPlaces): Kills {
  const { containerKilled } = fault.spec
  if (containerKilled === undefined || kubelet === undefined) return noKills
  const now = world.clock.now()
  const at = nextKillAt(fault, now)
  if (at === undefined) return noKills
  if (at > now) return { count: 0, nextMs: at - now }
  const { signal = 9, everySeconds } = containerKilled
  const hit = victimsOf(containerKilled, cache.list(Pod)).filter(({ pod, container }) =>
    kubelet.kill(pod, container, signal),
  )
  if (hit.length === 0) return { count: 0, nextMs: lookAgainMs }
  return { count: hit.length, nextMs: everySeconds === undefined ? Number.POSITIVE_INFINITY : everySeconds * 1000 }
}

interface Report {
  readonly kit: Kit
  readonly kubelet: Kubelet | undefined
  readonly targets: readonly string[]
  readonly kills: Kills
  readonly reboot: Reboot | undefined
}

const ofNodes = [
  'nodeOffline',
  'nodeReboot',
  'nodePressure',
  'networkNotReady',
  'runtimeDown',
  'storageFailing',
  'registryDown',
  'containerKilled',
]

async function report(fault: Fault, { kit, kubelet, targets, kills, reboot }: Report): Promise<void> {
  const { status = {}, metadata } = fault
  const types = typesOf(fault.spec)
  const lacksKubelet = kubelet === undefined && types.some((type) => ofNodes.includes(type))
  const killed = (status.kills ?? 0) + kills.count
  const message = lacksKubelet
    ? 'this cluster runs the stand-in kubelet, which knows no such faults'
    : types.includes('containerKilled')
      ? `killed ${killed} container${killed === 1 ? '' : 's'}`
      : undefined
  const idle = lacksKubelet || (targets.length === 0 && killed === 0)
  const wanted: FaultStatus = {
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    type: types.join(','),
    phase: idle ? 'Idle' : reboot?.isDown === true ? rebooting : 'Active',
    targets,
    ...(message === undefined ? {} : { message }),
    ...(killed === 0 ? {} : { kills: killed }),
    ...reboot?.status,
    ...(kills.count > 0
      ? { lastKillTime: formatTime(kit.world.clock.now()) }
      : status.lastKillTime === undefined
        ? {}
        : { lastKillTime: status.lastKillTime }),
  }
  if (isEqual(wanted, status)) return
  try {
    await kit.client.updateStatus(Fault, { ...fault, status: wanted })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
