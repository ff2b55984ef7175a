// What all Faults together hold at a moment: pure. Several Faults may hold the same thing; it is free when none does.

import type { Fault, FaultSpec, FaultType, Kind, Node, NodeOffline, WebhookFailing } from '#kinds'
import type { NetworkTrouble, NodeShortage, Outage, RuntimeTrouble, StorageOutage } from '#kubelet'
import { matchesGlobs, matchesLabels } from '#objects'
import type { LoopDefinition } from '#reconcile'
import type { NamedApiErrors } from './api-errors.ts'
import { isRebooting } from './reboots.ts'

export interface Surveyed {
  readonly faults: readonly Fault[]
  readonly nodes: readonly Node[]
  /** All nodes that have a kubelet here, whether they are registered or not. */
  readonly nodeNames: readonly string[]
  readonly loops: readonly LoopDefinition[]
  /** The kinds that are watched. */
  readonly kinds: readonly Kind[]
}

export interface NamedWebhookFault extends WebhookFailing {
  readonly fault: string
}

export interface Held {
  readonly offline: ReadonlySet<string>
  /** Nodes that are down to be started anew. */
  readonly rebooting: ReadonlySet<string>
  readonly shortages: readonly NodeShortage[]
  readonly networks: readonly NetworkTrouble[]
  readonly runtimes: readonly RuntimeTrouble[]
  readonly storage: readonly StorageOutage[]
  readonly outages: readonly Outage[]
  readonly apiErrors: readonly NamedApiErrors[]
  readonly pausedLoops: ReadonlySet<string>
  /** By `plural.group`. */
  readonly lostWatches: ReadonlySet<string>
  readonly webhooks: readonly NamedWebhookFault[]
}

/** The loop that ends Faults is never held itself, nor is what it hears of them. */
export const faultsLoop = 'faults'
const faultKind = 'Fault'

export const kindId = ({ group, resource }: Pick<Kind, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`

/** A Fault that is being deleted is over, whatever finalizers it has. */
export const holds = ({ metadata }: Fault): boolean => metadata.deletionTimestamp === undefined

export const typesOf = (spec: FaultSpec): readonly FaultType[] =>
  (Object.keys(spec) as (keyof FaultSpec)[]).filter((name): name is FaultType => name !== 'description')

export const offlineNodes = (fault: Fault, surveyed: Surveyed): readonly string[] =>
  nodesOf(fault, fault.spec.nodeOffline, surveyed)

/** Nodes that a part of a Fault names. */
function nodesOf(
  { status, metadata }: Fault,
  part: NodeOffline | undefined,
  { nodes, nodeNames }: Surveyed,
): readonly string[] {
  if (part === undefined) return []
  const { nodes: patterns, nodeSelector } = part
  // A node that was selected stays offline even when its object has been deleted meanwhile.
  const before = status?.observedGeneration === metadata.generation ? new Set(status?.targets) : new Set<string>()
  return nodeNames.filter((name) => {
    if (!matchesGlobs(patterns, name)) return false
    if (nodeSelector === undefined) return true
    const node = nodes.find((one) => one.metadata.name === name)
    return node === undefined ? before.has(name) : matchesLabels(nodeSelector, node.metadata.labels)
  })
}

export function pausedLoops({ spec }: Fault, { loops }: Surveyed): readonly string[] {
  const patterns = spec.loopPaused?.loops
  return patterns === undefined
    ? []
    : loops.map(({ name }) => name).filter((name) => name !== faultsLoop && matchesGlobs(patterns, name))
}

export function lostKinds({ spec }: Fault, { loops, kinds }: Surveyed): readonly Kind[] {
  if (spec.watchLost === undefined) return []
  const { loops: loopNames, kinds: kindNames } = spec.watchLost
  const ofLoops = new Set(
    loops
      .filter(({ name }) => loopNames !== undefined && name !== faultsLoop && matchesGlobs(loopNames, name))
      .flatMap(({ watches }) => watches.map(({ kind }) => kindId(kind))),
  )
  const everything = loopNames === undefined && kindNames === undefined
  return kinds.filter((kind) => {
    if (kind.kind === faultKind) return false
    const isNamed =
      kindNames !== undefined && [kind.kind, kind.resource, kindId(kind)].some((name) => matchesGlobs(kindNames, name))
    return everything || isNamed || ofLoops.has(kindId(kind))
  })
}

export function decideHeld(surveyed: Surveyed): Held {
  const active = surveyed.faults.filter(holds)
  const named = <T>(pick: (spec: FaultSpec) => T | undefined): readonly (T & { readonly fault: string })[] =>
    active.flatMap(({ metadata, spec }) => {
      const part = pick(spec)
      return part === undefined ? [] : [{ ...part, fault: metadata.name ?? '' }]
    })
  const rebooting = active.flatMap((fault) =>
    isRebooting(fault) ? nodesOf(fault, fault.spec.nodeReboot, surveyed) : [],
  )
  return {
    offline: new Set([...active.flatMap((fault) => offlineNodes(fault, surveyed)), ...rebooting]),
    rebooting: new Set(rebooting),
    shortages: active.flatMap((fault) => {
      const { nodePressure } = fault.spec
      const { available = {} } = nodePressure ?? {}
      return nodesOf(fault, nodePressure, surveyed).map((node) => ({ node, available }))
    }),
    networks: active.flatMap((fault) => {
      const { networkNotReady } = fault.spec
      const { reason, message } = networkNotReady ?? {}
      const words = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
      return nodesOf(fault, networkNotReady, surveyed).map((node) => ({ node, ...words }))
    }),
    runtimes: active.flatMap((fault) => {
      const { runtimeDown } = fault.spec
      const words = runtimeDown?.message === undefined ? {} : { message: runtimeDown.message }
      return nodesOf(fault, runtimeDown, surveyed).map((node) => ({ node, ...words }))
    }),
    storage: active.flatMap(({ spec: { storageFailing } }) =>
      storageFailing === undefined || storageFailing.step === 'attach' ? [] : [storageFailing],
    ),
    outages: active.flatMap(({ spec: { registryDown } }) =>
      registryDown === undefined ? [] : [{ error: 'unreachable' as const, ...registryDown }],
    ),
    apiErrors: named((spec) => spec.apiErrors),
    pausedLoops: new Set(active.flatMap((fault) => pausedLoops(fault, surveyed))),
    lostWatches: new Set(active.flatMap((fault) => lostKinds(fault, surveyed).map(kindId))),
    webhooks: named((spec) => spec.webhookFailing),
  }
}

/** What a Fault holds, for people. */
export function targetsOf(fault: Fault, surveyed: Surveyed): readonly string[] {
  const { spec } = fault
  return [
    ...offlineNodes(fault, surveyed),
    ...nodesOf(fault, spec.nodeReboot, surveyed),
    ...nodesOf(fault, spec.nodePressure, surveyed),
    ...nodesOf(fault, spec.networkNotReady, surveyed),
    ...nodesOf(fault, spec.runtimeDown, surveyed),
    ...(spec.storageFailing === undefined ? [] : (spec.storageFailing.storage ?? ['*'])),
    ...(spec.registryDown === undefined ? [] : (spec.registryDown.hosts ?? ['*'])),
    ...(spec.apiErrors === undefined ? [] : (spec.apiErrors.resources ?? ['*'])),
    ...pausedLoops(fault, surveyed),
    ...lostKinds(fault, surveyed).map(kindId),
    ...(spec.webhookFailing === undefined ? [] : (spec.webhookFailing.webhooks ?? ['*'])),
  ]
}
