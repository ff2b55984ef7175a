// What its NodeProfiles come to for one node, as its kubelet asks for it.

import type { HostFileType, NodeDriver, NodeProfileSpec } from '#kinds'
import type { JsonObject } from '#objects'
import type { DecidedField } from '../workload/decided-field.ts'
import type { UsagePoint } from '../workload/workload.ts'
import type { Threshold } from './thresholds.ts'

/** A curve that began at a moment of world time. */
export interface DatedCurve {
  readonly since: number
  readonly points: readonly UsagePoint[]
}

export type NodeUsageField = keyof NonNullable<NodeProfileSpec['usage']>

export interface NodeFacts {
  readonly staticPods: readonly JsonObject[]
  readonly files: ReadonlyMap<string, HostFileType>
  readonly resources: Readonly<Record<string, string>>
  readonly csiDrivers: readonly NodeDriver[]
  readonly usage: { readonly [field in NodeUsageField]?: DatedCurve }
  readonly imagePulls: { readonly maxParallel: number; readonly bytesPerSecond: number }
  readonly runtimeHandlers: ReadonlySet<string>
  readonly appArmor: { readonly enabled: boolean; readonly profiles: ReadonlySet<string> }
  readonly imagefsCapacity?: number
  readonly thresholds: readonly Threshold[]
  /** The longest grace period of pods that are evicted for a soft threshold. */
  readonly maxPodGraceSeconds: number
  readonly pressureTransitionMs: number
  /** Which profile says what of this. */
  readonly decided: readonly DecidedField[]
}
