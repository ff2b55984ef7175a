// The next step of a StatefulSet: pods come up one by one in order, go in reverse order, and are replaced from the last to
// the first when the template changes. Pure. Follows updateStatefulSet of Kubernetes' stateful set control.

import type { Pod, StatefulSet, StatefulSetStatus } from '#kinds'
import { isEqual } from '#objects'
import { isTerminating } from '#reconcile'
import { availableAt, isPodFinished, isPodReady } from '../pods.ts'
import { hasIdentity, ordinalOf, replicasOf, revisionOf, startOf } from './identity.ts'

export interface Observed {
  readonly set: StatefulSet
  /** Pods that the set owns. */
  readonly pods: readonly Pod[]
  readonly currentRevision: string
  readonly updateRevision: string
  /** Whether the claims of a pod have the owners that the retention policy asks for. */
  readonly areKept: (pod: Pod) => boolean
  readonly now: number
}

export type SetStep =
  | { readonly type: 'create'; readonly ordinal: number; readonly revision: string }
  | { readonly type: 'delete'; readonly pod: Pod; readonly why: 'finished' | 'condemned' | 'outdated' }
  /** Claims that a waiting pod needs and that are not there. */
  | { readonly type: 'claims'; readonly pod: Pod }
  | { readonly type: 'repair'; readonly pod: Pod }
  /** Claims of a pod that is too many get the owners that they should have. */
  | { readonly type: 'keep'; readonly pod: Pod }

export interface Decision {
  readonly steps: readonly SetStep[]
  readonly status: StatefulSetStatus
  /** When a ready pod becomes available and the next step may follow. */
  readonly recheckAt?: number
}

export function decideSet(observed: Observed): Decision {
  const steps = isTerminating(observed.set) ? [] : decideSteps(observed)
  const recheckAt = nextAvailability(observed)
  return { steps, status: decideStatus(observed, steps), ...(recheckAt === undefined ? {} : { recheckAt }) }
}

function decideSteps(observed: Observed): readonly SetStep[] {
  const { set, pods } = observed
  const ordered = set.spec.podManagementPolicy !== 'Parallel'
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]))
  const first = startOf(set)
  const ordinals = Array.from({ length: replicasOf(set) }, (_, i) => first + i)
  const steps: SetStep[] = []
  for (const ordinal of ordinals) {
    const pod = byOrdinal.get(ordinal)
    const { step, waits } = decideReplica(observed, ordinal, pod)
    if (step !== undefined) steps.push(step)
    if (ordered && waits) return steps
    if (pod !== undefined && needsRepair(observed, pod)) steps.push({ type: 'repair', pod })
  }
  const condemned = decideCondemned(observed, ordered, ordinals.length)
  steps.push(...condemned.steps)
  if (condemned.waits) return steps
  const outdated = decideUpdate(observed, byOrdinal, ordinals)
  return outdated === undefined ? steps : [...steps, outdated]
}

interface ReplicaDecision {
  readonly step?: SetStep
  /** The pods behind this one have to wait for it. */
  readonly waits: boolean
}

function decideReplica(observed: Observed, ordinal: number, pod: Pod | undefined): ReplicaDecision {
  if (pod === undefined)
    return { step: { type: 'create', ordinal, revision: wantedRevision(observed, ordinal) }, waits: true }
  if (isPodFinished(pod))
    return isTerminating(pod) ? { waits: true } : { step: { type: 'delete', pod, why: 'finished' }, waits: true }
  if (pod.status?.phase === 'Pending') return { step: { type: 'claims', pod }, waits: true }
  return { waits: isTerminating(pod) || !isAvailable(observed, pod) }
}

/** A pod that waits has its claims seen to anyway. */
const needsRepair = ({ set, areKept }: Observed, pod: Pod): boolean =>
  !isPodFinished(pod) && !(hasIdentity(set, pod) && (pod.status?.phase === 'Pending' || areKept(pod)))

/** Below the partition, pods stay what they were. */
function wantedRevision({ set, currentRevision, updateRevision }: Observed, ordinal: number): string {
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return updateRevision
  const kept = rollingUpdate === undefined ? (set.status?.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0)
  return ordinal < startOf(set) + kept ? currentRevision : updateRevision
}

function decideCondemned(
  observed: Observed,
  ordered: boolean,
  replicas: number,
): { readonly steps: readonly SetStep[]; readonly waits: boolean } {
  const { set, pods } = observed
  const first = startOf(set)
  const ordinal = (pod: Pod): number => ordinalOf(set, pod) ?? -1
  const condemned = pods
    .filter((pod) => ordinal(pod) >= 0 && (ordinal(pod) < first || ordinal(pod) >= first + replicas))
    .sort((a, b) => ordinal(b) - ordinal(a))
  const staying = pods.filter((pod) => !condemned.includes(pod)).sort((a, b) => ordinal(a) - ordinal(b))
  const unavailable = [...staying, ...[...condemned].reverse()].find((pod) => isUnavailable(observed, pod))
  const steps: SetStep[] = condemned
    .filter((pod) => !observed.areKept(pod))
    .map((pod): SetStep => ({ type: 'keep', pod }))
  for (const pod of condemned) {
    if (isTerminating(pod)) {
      if (ordered) return { steps, waits: true }
      continue
    }
    if (ordered && pod !== unavailable && !isAvailable(observed, pod)) return { steps, waits: true }
    steps.push({ type: 'delete', pod, why: 'condemned' })
    if (ordered) return { steps, waits: true }
  }
  return { steps, waits: false }
}

/** The last pod that is not of the update revision, once all behind it are available. */
function decideUpdate(
  observed: Observed,
  byOrdinal: ReadonlyMap<number | undefined, Pod>,
  ordinals: readonly number[],
): SetStep | undefined {
  const { set, updateRevision } = observed
  const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
  if (type === 'OnDelete') return undefined
  const kept = startOf(set) + (rollingUpdate?.partition ?? 0)
  for (const ordinal of [...ordinals].reverse()) {
    if (ordinal < kept) return undefined
    const pod = byOrdinal.get(ordinal)
    if (pod === undefined || isPodFinished(pod)) return undefined
    if (revisionOf(pod) !== updateRevision && !isTerminating(pod)) return { type: 'delete', pod, why: 'outdated' }
    if (isUnavailable(observed, pod)) return undefined
  }
  return undefined
}

const isUnavailable = (observed: Observed, pod: Pod): boolean => isTerminating(pod) || !isAvailable(observed, pod)

function isAvailable({ set, now }: Observed, pod: Pod): boolean {
  const at = pod.status?.phase === 'Running' ? availableAt(pod, set.spec.minReadySeconds ?? 0) : undefined
  return at !== undefined && at <= now
}

function decideStatus(observed: Observed, steps: readonly SetStep[]): StatefulSetStatus {
  const { set, pods, currentRevision, updateRevision } = observed
  const alive = pods.filter((pod) => !isTerminating(pod))
  const updated = alive.filter((pod) => revisionOf(pod) === updateRevision).length
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length
  const replicas = replicasOf(set)
  const isRolling = (set.spec.updateStrategy?.type ?? 'RollingUpdate') === 'RollingUpdate'
  const complete = isRolling && updated === replicas && ready === replicas && pods.length === replicas
  const replaced = steps.some((step) => step.type === 'delete' && step.why === 'outdated') ? 1 : 0
  const current = complete ? updated : alive.filter((pod) => revisionOf(pod) === currentRevision).length - replaced
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    availableReplicas: pods.filter((pod) => isAvailable(observed, pod)).length,
    ...(current === 0 ? {} : { currentReplicas: current }),
    ...(updated === 0 ? {} : { updatedReplicas: updated }),
    currentRevision: complete ? updateRevision : currentRevision,
    updateRevision,
    collisionCount: set.status?.collisionCount ?? 0,
  }
  return isSame(set.status, status) ? (set.status ?? status) : status
}

/** Conditions are others': they do not make the status another one, and go when it is written. */
function isSame(old: StatefulSetStatus | undefined, status: StatefulSetStatus): boolean {
  const { conditions: _, ...own } = old ?? {}
  return isEqual(own, status)
}

function nextAvailability({ set, pods, now }: Observed): number | undefined {
  const minReadySeconds = set.spec.minReadySeconds ?? 0
  if (minReadySeconds === 0) return undefined
  const times = pods.flatMap((pod) => availableAt(pod, minReadySeconds) ?? []).filter((at) => at > now)
  return times.length === 0 ? undefined : Math.min(...times)
}
