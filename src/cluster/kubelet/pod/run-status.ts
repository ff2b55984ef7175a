// The status of a pod as its machine stands: gathers what podStatus needs, and tells when others have changed what it says.

import type { Pod, PodCondition, PodStatus } from '#kinds'
import { formatTime } from '#objects'
import type { PodLife } from '../life/pod-life.ts'
import { canRecurse } from '../life/pod-runtime.ts'
import type { Listing } from '../life/runtime-view.ts'
import type { Resizing } from '../limits/resizing.ts'
import type { Probing } from '../probes/probing.ts'
import { kubeletConditions, podReady } from '../status/conditions.ts'
import { podStatus, type StatusInput } from '../status/pod-status.ts'

/** What of a pod's machine its status speaks of. */
export interface StatusParts extends Pick<PodLife, 'pod' | 'around' | 'reasons' | 'stage'> {
  readonly probing: Pick<Probing, 'isStarted' | 'isReady'>
  readonly resizing: Pick<Resizing, 'resourcesFor' | 'conditions'>
  readonly disruption: { readonly message: string; readonly at: number } | undefined
}

export interface Look extends Pick<StatusInput, 'terminal' | 'deadline' | 'eviction'> {
  readonly listing: Listing
  readonly now: number
}

/** `own` is the status before. */
export function statusOf(run: StatusParts, own: PodStatus, look: Look): PodStatus {
  const { records, sandbox } = look.listing
  return podStatus({
    pod: run.pod,
    old: own.startTime === undefined ? (run.pod.status ?? {}) : own,
    records,
    sandbox,
    hostIP: run.around.node.hostIP,
    reasons: run.reasons,
    recursion: canRecurse(run),
    allocated: (container) => run.resizing.resourcesFor(container),
    isStarted: (record) => run.probing.isStarted(record),
    isReady: (record) => run.probing.isReady(record),
    extra: extraConditions(run, look.terminal),
    now: look.now,
    terminal: look.terminal,
    deadline: look.deadline,
    eviction: look.eviction,
  })
}

/** Of a pod that has ended nobody cares how it was to be resized. */
function extraConditions({ resizing, disruption: why, pod }: StatusParts, terminal: boolean): readonly PodCondition[] {
  const own = terminal ? [] : resizing.conditions()
  if (why === undefined) return own
  const { generation } = pod.metadata
  const disruption: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: null as unknown as string,
    lastTransitionTime: formatTime(why.at),
    reason: 'TerminationByKubelet',
    message: why.message,
  }
  return [...own, disruption]
}

/** Nothing of the pod runs yet, and nothing was said of it: its status need not be worked out before it is told. */
export const isUntouched = (run: StatusParts, own: PodStatus, { records, sandbox }: Listing): boolean =>
  run.stage === 'syncing' &&
  sandbox === undefined &&
  records.length === 0 &&
  own.startTime === undefined &&
  run.pod.spec.activeDeadlineSeconds === undefined

/** Somebody else changed the pod's readiness, or a condition that it depends on. */
export function readinessDiffers({ status, spec }: Pod): boolean {
  if (status?.containerStatuses === undefined) return false
  const others = (status.conditions ?? []).filter(({ type }) => !kubeletConditions.has(type))
  const wanted = podReady({
    spec,
    phase: status.phase ?? 'Pending',
    statuses: [...(status.initContainerStatuses ?? []), ...status.containerStatuses],
    others,
    sandboxReady: true,
  })
  const ready = status.conditions?.find(({ type }) => type === 'Ready')
  if (ready === undefined) return false
  return ready.status !== wanted.status || (ready.message ?? '') !== (wanted.message ?? '')
}
