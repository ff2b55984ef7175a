// What a NodeProfile says of the machines under the kubelets: what lies on their disks, which pods are started from
// files, what takes room beside the pods, and when the kubelet calls that pressure.

import type { JsonObject, LabelSelector } from '#objects'
import type { ProfileUsage } from '../workloadprofile/types.ts'

export interface NodeMatch {
  /** Globs of node names. */
  readonly nodes?: readonly string[]
  readonly nodeSelector?: LabelSelector
}

export type HostFileType = 'Directory' | 'File' | 'Socket' | 'CharDevice' | 'BlockDevice' | 'Absent'

export interface HostFile {
  readonly path: string
  readonly type?: HostFileType
}

export interface NodeDriver {
  readonly name: string
  /** How many volumes of it the node can have. */
  readonly count?: number
  readonly topologyKeys?: readonly string[]
}

/** What is taken beside the pods, as curves that begin when the profile is made. */
export interface NodeUsage {
  readonly memory?: readonly ProfileUsage[]
  readonly nodefs?: readonly ProfileUsage[]
  readonly imagefs?: readonly ProfileUsage[]
  readonly inodes?: readonly ProfileUsage[]
  readonly pids?: readonly ProfileUsage[]
}

/** How the node gets images from registries. */
export interface NodeImagePulls {
  /** So many at a time; the others wait. */
  readonly maxParallel?: number
  /** Bytes in a second. */
  readonly bandwidth?: string | number
}

export interface NodeAppArmor {
  readonly enabled?: boolean
  /** Names of profiles that are loaded. */
  readonly profiles?: readonly string[]
}

export interface NodeProfileSpec {
  readonly description?: string
  readonly priority?: number
  readonly match?: NodeMatch
  /** Pod manifests in the folder of the kubelet. */
  readonly staticPods?: readonly JsonObject[]
  readonly files?: readonly HostFile[]
  /** Extended resources that devices of the node offer. */
  readonly resources?: Readonly<Record<string, string | number>>
  readonly csiDrivers?: readonly NodeDriver[]
  readonly usage?: NodeUsage
  readonly imagePulls?: NodeImagePulls
  /** What RuntimeClasses may name beside `runc`. */
  readonly runtimeHandlers?: readonly string[]
  /** Whether the kernel has AppArmor (it has), and what was loaded into it. */
  readonly appArmor?: NodeAppArmor
  /** Size of a file system of its own for images; without it they share that of the node. */
  readonly imagefsCapacity?: string | number
  /** By signal, as in KubeletConfiguration; as the next three. */
  readonly evictionHard?: Readonly<Record<string, string>>
  readonly evictionSoft?: Readonly<Record<string, string>>
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>
  readonly evictionMinimumReclaim?: Readonly<Record<string, string>>
  /** In seconds. */
  readonly evictionMaxPodGracePeriod?: number
  readonly evictionPressureTransitionSeconds?: number
}
