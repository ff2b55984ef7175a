// What the decisions on a pod's containers are made from, and what each of them may say of one: end it, and why.

import type { Pod } from '#kinds'
import type { ContainerRecord, Sandbox } from '../containers/containers.ts'

export type KillReason = 'startupProbe' | 'livenessProbe' | 'other'

export interface Kill {
  readonly record: ContainerRecord
  /** Text of the Killing event. */
  readonly message: string
  readonly reason: KillReason
}

export interface ActionInput {
  readonly pod: Pod
  readonly sandbox: Sandbox | undefined
  readonly records: readonly ContainerRecord[]
  readonly failed: (record: ContainerRecord, probe: 'liveness' | 'startup') => boolean
  readonly isStarted: (record: ContainerRecord) => boolean
  /** Containers whose new resources need a restart. */
  readonly resizeRestarts: ReadonlySet<string>
}
