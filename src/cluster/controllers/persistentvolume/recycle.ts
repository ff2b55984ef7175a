// What becomes of a volume that is to be recycled: a pod empties it, and then it is free for other claims. Pure. Follows
// recycleVolumeOperation of Kubernetes' persistent volume controller, and the recyclers of the hostPath and NFS plug-ins.

import { amountOf, type PersistentVolume, type Pod, type PodSpec } from '#kinds'
import { formatTime, parseTime } from '#objects'
import { isTerminating } from '#reconcile'
import { isPodTerminated } from '../pods.ts'
import type { Happening } from './decide.ts'

const recyclerPrefix = 'recycler-for-'
const container = 'pv-recycler'
const image = 'registry.k8s.io/build-image/debian-base:bookworm-v1.0.6'
const script = 'test -e /scrub && find /scrub -mindepth 1 -delete && test -z "$(ls -A /scrub)" || exit 1'
const gibi = 1024 ** 3
const secondsPerGibi = 30
const leastSeconds = { hostPath: 60, nfs: 300 }
/** A volume that could not be recycled is tried again this often, counted from when it failed. */
export const recyclePeriodMs = 15_000
/** So long after such a moment is still early enough. */
const leewayMs = 1000

export const recyclerNamespace = 'default'
export const recyclerOf = (volumeName: string): string => recyclerPrefix + volumeName

/** The volumes that a pod of this name recycles: one, or none. */
export const volumesRecycledBy = ({ metadata: { namespace, name = '' } }: Pod): readonly string[] =>
  namespace === recyclerNamespace && name.startsWith(recyclerPrefix) ? [name.slice(recyclerPrefix.length)] : []

type Source = NonNullable<PodSpec['volumes']>[number]

/** What of the volume the pod mounts; undefined where no plug-in can recycle it. */
export function recycledSource({ spec }: PersistentVolume): Omit<Source, 'name'> | undefined {
  if (spec?.hostPath !== undefined) return { hostPath: { path: spec.hostPath.path } }
  if (spec?.nfs !== undefined) return { nfs: { server: spec.nfs.server, path: spec.nfs.path } }
  return undefined
}

/** With kube-controller-manager's own template. */
export function recyclerPod(volume: PersistentVolume): Pod {
  const { name = '' } = volume.metadata
  const source = recycledSource(volume) ?? {}
  const size = Math.trunc(amountOf('storage', volume.spec?.capacity?.['storage'] ?? 0) / gibi)
  const least = source.nfs === undefined ? leastSeconds.hostPath : leastSeconds.nfs
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: recyclerOf(name), namespace: recyclerNamespace },
    spec: {
      activeDeadlineSeconds: Math.max(least, size * secondsPerGibi),
      restartPolicy: 'Never',
      volumes: [{ name: 'vol', ...source }],
      containers: [
        {
          name: container,
          image,
          command: ['/bin/sh'],
          args: ['-c', script],
          volumeMounts: [{ name: 'vol', mountPath: '/scrub' }],
        },
      ],
    },
  }
}

export type RecycleStep =
  | { readonly type: 'start' }
  /** Until the pod changes, or for so long. */
  | { readonly type: 'wait'; readonly ms?: number }
  | { readonly type: 'inUse'; readonly happening: Happening }
  /** The pod has to go, and the volume is not recycled. */
  | { readonly type: 'clear'; readonly failure: Happening }
  | { readonly type: 'recycled' }

export interface Recycling {
  /** Released, or Failed. */
  readonly volume: PersistentVolume
  readonly recycler: Pod | undefined
  /** Pods that use a claim of the volume's claim's name. */
  readonly users: readonly Pod[]
  /** Whether there is such a claim: it has a volume of its own, and so have those pods. */
  readonly isClaimThere: boolean
}

export function decideRecycle({ volume, recycler, users, isClaimThere }: Recycling, now: number): RecycleStep {
  const since = parseTime(volume.status?.lastPhaseTransitionTime) ?? 0
  const hasFailed = volume.status?.phase === 'Failed'
  if (recycler !== undefined) {
    if (isOurs(recycler, volume, since)) return decideByPod(recycler)
    if (isTerminating(recycler) && hasFailed) return { type: 'wait' }
    return { type: 'clear', failure: recycleFailure('old recycler pod found, will retry later') }
  }
  const sincePeriod = (now - since) % recyclePeriodMs
  if (hasFailed && (now - since < recyclePeriodMs || sincePeriod > leewayMs))
    return { type: 'wait', ms: recyclePeriodMs - sincePeriod }
  const active = users.filter((pod) => !isPodTerminated(pod))
  if (active.length === 0 || isClaimThere) return { type: 'start' }
  const names = active.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort()
  const message = `Volume is used by pods: ${names.join(',')}`
  return { type: 'inUse', happening: { type: 'Normal', reason: 'VolumeFailedRecycle', message } }
}

function decideByPod({ status }: Pod): RecycleStep {
  if (status?.phase === 'Succeeded') return { type: 'recycled' }
  if (status?.phase !== 'Failed') return { type: 'wait' }
  const why = status.message || 'pod failed, pod.Status.Message unknown'
  return { type: 'clear', failure: recycleFailure(`failed to recycle volume: ${why}`) }
}

export const recycleFailure = (message: string): Happening => ({
  type: 'Warning',
  reason: 'VolumeFailedRecycle',
  message: `Recycle failed: ${message}`,
})

export const isRecycler = ({ spec }: Pod): boolean => spec.containers[0]?.name === container

/** Made for this recycling: a pod that was there before may have emptied the volume before it was used. */
function isOurs(pod: Pod, volume: PersistentVolume, since: number): boolean {
  const mounted = pod.spec.volumes?.find(({ name }) => name === 'vol')
  const source = recycledSource(volume)
  return (
    isRecycler(pod) &&
    (pod.metadata.creationTimestamp ?? '') >= formatTime(since) &&
    mounted?.hostPath?.path === source?.hostPath?.path &&
    mounted?.nfs?.server === source?.nfs?.server &&
    mounted?.nfs?.path === source?.nfs?.path
  )
}
