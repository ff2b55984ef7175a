// What `kubectl get pods` shows: one word for the state of all containers, restarts, and where the pod is.

import { parseTime } from '#objects'
import type { ContainerStatus, Pod } from '../generated/types.ts'
import type { Column, RowCondition } from '../kind.ts'
import { ageColumn, nameColumn, text, wide } from '../table/columns.ts'
import { humanDuration } from '../table/duration.ts'

interface Summary {
  readonly reason: string
  readonly ready: number
  readonly total: number
  readonly restarts: number
  readonly lastRestart: number | undefined
}

const isSidecarIn = (pod: Pod, name: string): boolean =>
  pod.spec.initContainers?.some((container) => container.name === name && container.restartPolicy === 'Always') ?? false

const conditionOf = (pod: Pod, type: string): { readonly status: string; readonly reason?: string } | undefined =>
  pod.status?.conditions?.find((condition) => condition.type === type)

const finishedAt = (status: ContainerStatus): number | undefined =>
  parseTime(status.lastState?.terminated?.finishedAt as string | undefined)

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.max(a, b)

/** The state of a terminated container in a word. */
function ending(state: { readonly exitCode: number; readonly signal?: number; readonly reason?: string }): string {
  if (state.reason) return state.reason
  return state.signal ? `Signal:${state.signal}` : `ExitCode:${state.exitCode}`
}

/** `Init:…`, or undefined once init containers are done. */
function initReason(pod: Pod, status: ContainerStatus, index: number): string | undefined {
  const { terminated, waiting } = status.state ?? {}
  if (terminated !== undefined && terminated.exitCode === 0) return undefined
  if (isSidecarIn(pod, status.name) && status.started === true) return undefined
  if (terminated !== undefined) return `Init:${ending(terminated)}`
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`
  return `Init:${index}/${pod.spec.initContainers?.length ?? 0}`
}

function summarize(pod: Pod): Summary {
  const { status = {}, spec } = pod
  let reason = status.reason || status.phase || ''
  if (conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated') reason = 'SchedulingGated'
  // A bookmark has null.
  let [ready, restarts, total] = [0, 0, (spec.containers ?? []).length]
  let lastRestart: number | undefined
  let [sidecarRestarts, lastSidecarRestart] = [0, undefined as number | undefined]
  total += (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').length
  let isStarting = false
  for (const [i, container] of (status.initContainerStatuses ?? []).entries()) {
    restarts += container.restartCount
    lastRestart = later(lastRestart, finishedAt(container))
    if (isSidecarIn(pod, container.name)) {
      sidecarRestarts += container.restartCount
      lastSidecarRestart = later(lastSidecarRestart, finishedAt(container))
    }
    const own = initReason(pod, container, i)
    if (own === undefined) {
      if (isSidecarIn(pod, container.name) && container.state?.terminated?.exitCode !== 0 && container.ready) ready++
      continue
    }
    reason = own
    isStarting = true
    break
  }
  if (!isStarting || conditionOf(pod, 'Initialized')?.status === 'True') {
    restarts = sidecarRestarts
    lastRestart = lastSidecarRestart
    const main = mainContainers(pod, reason)
    reason = main.reason
    ready += main.ready
    restarts += main.restarts
    lastRestart = later(lastRestart, main.lastRestart)
  }
  return { reason: deletionReason(pod, reason), ready, total, restarts, lastRestart }
}

function mainContainers(pod: Pod, before: string): Omit<Summary, 'total'> {
  let [reason, ready, restarts, hasRunning] = [before, 0, 0, false]
  let lastRestart: number | undefined
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    const { waiting, terminated, running } = container.state ?? {}
    restarts += container.restartCount
    lastRestart = later(lastRestart, finishedAt(container))
    if (waiting?.reason) reason = waiting.reason
    else if (terminated !== undefined) reason = ending(terminated)
    else if (container.ready && running !== undefined) {
      hasRunning = true
      ready++
    }
  }
  if (reason === 'Completed' && hasRunning)
    reason = conditionOf(pod, 'Ready')?.status === 'True' ? 'Running' : 'NotReady'
  return { reason, ready, restarts, lastRestart }
}

function deletionReason(pod: Pod, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason
  if (pod.status?.reason === 'NodeLost') return 'Unknown'
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed' ? reason : 'Terminating'
}

function restartsText(pod: Pod, now: number): string {
  const { restarts, lastRestart } = summarize(pod)
  return restarts > 0 && lastRestart !== undefined
    ? `${restarts} (${humanDuration(now - lastRestart)} ago)`
    : String(restarts)
}

function gatesText(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? []
  if (gates.length === 0) return '<none>'
  const passed = gates.filter(({ conditionType }) => conditionOf(pod, conditionType)?.status === 'True')
  return `${passed.length}/${gates.length}`
}

export const podColumns: readonly Column<Pod>[] = [
  nameColumn,
  text('Ready', 'The aggregate readiness state of this pod for accepting traffic.', (pod) => {
    const { ready, total } = summarize(pod)
    return `${ready}/${total}`
  }),
  text('Status', 'The aggregate status of the containers in this pod.', (pod) => summarize(pod).reason),
  text(
    'Restarts',
    'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    restartsText,
  ),
  ageColumn,
  wide(
    text(
      'IP',
      'podIP address allocated to the pod. Routable at least within the cluster. Empty if not yet allocated.',
      ({ status }) => status?.podIPs?.[0]?.ip || status?.podIP || '<none>',
    ),
  ),
  wide(
    text(
      'Node',
      'NodeName indicates in which node this pod is scheduled. If empty, this pod is a candidate for scheduling by the scheduler defined in schedulerName. Once this field is set, the kubelet for this node becomes responsible for the lifecycle of this pod. This field should not be used to express a desire for the pod to be scheduled on a specific node. https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#nodename',
      ({ spec }) => spec.nodeName || '<none>',
    ),
  ),
  wide(
    text(
      'Nominated Node',
      'nominatedNodeName is set only when this pod preempts other pods on the node, but it cannot be scheduled right away as preemption victims receive their graceful termination periods. This field does not guarantee that the pod will be scheduled on this node. Scheduler may decide to place the pod elsewhere if other nodes become available sooner. Scheduler may also decide to give the resources on this node to a higher priority pod that is created after preemption. As a result, this field may be different than PodSpec.nodeName when the pod is scheduled.',
      ({ status }) => status?.nominatedNodeName || '<none>',
    ),
  ),
  wide(
    text(
      'Readiness Gates',
      'If specified, all readiness gates will be evaluated for pod readiness. A pod is ready when all its containers are ready AND all conditions specified in the readiness gates have status equal to "True" More info: https://git.k8s.io/enhancements/keps/sig-network/580-pod-readiness-gates',
      gatesText,
    ),
  ),
]

const ended = { type: 'Completed', status: 'True' } as const
const succeeded = [{ ...ended, reason: 'Succeeded', message: 'The pod has completed successfully.' }]
const failed = [{ ...ended, reason: 'Failed', message: 'The pod failed.' }]

/** The row of a pod that has ended says so. */
export function podRowConditions({ status }: Pod): readonly RowCondition[] | undefined {
  if (status?.phase === 'Succeeded') return succeeded
  return status?.phase === 'Failed' ? failed : undefined
}
