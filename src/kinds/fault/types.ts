// What a Fault breaks while it exists. Each field is one kind of trouble; several may stand in one Fault.

import type { KubeObject, LabelSelector } from '#objects'
import type { NodeMatch } from '../nodeprofile/types.ts'

export type NodeOffline = NodeMatch

export interface NodeReboot extends NodeMatch {
  readonly downSeconds?: number
  readonly everySeconds?: number
}

export interface NodePressure extends NodeMatch {
  /** By signal of the kubelet: a quantity or a share. */
  readonly available: Readonly<Record<string, string>>
}

export interface NetworkNotReady extends NodeMatch {
  /** In the words of the runtime. */
  readonly reason?: string
  readonly message?: string
}

export interface RuntimeDown extends NodeMatch {
  /** What every call to the runtime gives. */
  readonly message?: string
}

export interface StorageFailing {
  readonly storage?: readonly string[]
  readonly step?: 'attach' | 'mount'
  readonly message?: string
}

export interface RegistryDown {
  readonly hosts?: readonly string[]
  readonly error?: 'unreachable' | 'unauthorized' | 'notFound' | 'tooManyRequests'
  readonly message?: string
}

export interface ContainerKilled {
  readonly namespaces?: readonly string[]
  readonly pods?: readonly string[]
  readonly podSelector?: LabelSelector
  readonly containers?: readonly string[]
  readonly signal?: number
  readonly everySeconds?: number
}

export interface ApiErrors {
  readonly verbs?: readonly string[]
  readonly resources?: readonly string[]
  readonly namespaces?: readonly string[]
  readonly users?: readonly string[]
  readonly rate?: number
  readonly code?: number
  readonly message?: string
  readonly latencySeconds?: number
}

export interface LoopPaused {
  readonly loops: readonly string[]
}

export interface WatchLost {
  readonly loops?: readonly string[]
  readonly kinds?: readonly string[]
}

export interface WebhookFailing {
  readonly webhooks?: readonly string[]
  readonly error?: 'timeout' | 'refused' | 'internalError'
  readonly message?: string
}

export interface FaultSpec {
  readonly description?: string
  readonly nodeOffline?: NodeOffline
  readonly nodeReboot?: NodeReboot
  readonly nodePressure?: NodePressure
  readonly networkNotReady?: NetworkNotReady
  readonly runtimeDown?: RuntimeDown
  readonly storageFailing?: StorageFailing
  readonly registryDown?: RegistryDown
  readonly containerKilled?: ContainerKilled
  readonly apiErrors?: ApiErrors
  readonly loopPaused?: LoopPaused
  readonly watchLost?: WatchLost
  readonly webhookFailing?: WebhookFailing
}

export type FaultType = Exclude<keyof FaultSpec, 'description'>

export interface FaultStatus {
  readonly observedGeneration?: number
  /** The kinds of trouble that it makes, joined by commas. */
  readonly type?: string
  /** `Active`, `Idle` while nothing matches, `Rebooting` while nodes are down for that. */
  readonly phase?: string
  /** What it holds at the moment: names of nodes, loops, kinds, hosts. */
  readonly targets?: readonly string[]
  readonly message?: string
  /** containerKilled: how many containers were killed, and when last. */
  readonly kills?: number
  readonly lastKillTime?: string
  /** nodeReboot: how often, and when last. */
  readonly reboots?: number
  readonly lastRebootTime?: string
}

export interface Fault extends KubeObject {
  readonly spec: FaultSpec
  readonly status?: FaultStatus
}
