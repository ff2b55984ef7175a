// Which loop a Pod waits for, in the order of the chain: scheduler, kubelet (sandbox, image, start), probe, EndpointSlice.

import type { Pod } from '#kinds'
import { configAdvice, podReasons, runningInit, sinceUnready, waitingContainer } from './container.ts'
import { logsOf } from './crash.ts'
import { eventEvidence, newestEvent } from './events.ts'
import {
  conditionOf,
  describeCondition,
  describeObject,
  type Finding,
  isReady,
  sinceTime,
  withBelow,
} from './finding.ts'
import { type QueuedPod, unscheduled } from './scheduling.ts'

export interface PodObservation extends QueuedPod {
  /** Chains of what it waits for itself: claims without a volume, a node that is silent. */
  readonly waitsFor?: readonly (readonly Finding[])[]
}

/** The pod, and what it waits for. */
export const chainOfPod = (observation: PodObservation): readonly Finding[] => {
  const finding = explainPod(observation)
  return finding.state === 'converged' ? [finding] : withBelow(finding, observation.waitsFor ?? [])
}

/** The claims that it wants volumes of. */
export const claimsOf = ({ spec, metadata }: Pod): readonly string[] =>
  (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim !== undefined
      ? [persistentVolumeClaim.claimName]
      : ephemeral !== undefined
        ? [`${metadata.name ?? ''}-${name}`]
        : [],
  )

/** Only the node lifecycle controller says of a pod whose containers are all ready that it is not. */
function isOnSilentNode({ status, spec }: Pod): boolean {
  const statuses = status?.containerStatuses ?? []
  const ready = conditionOf(status?.conditions, 'Ready')
  return (
    status?.phase === 'Running' &&
    ready?.status === 'False' &&
    ready.reason === undefined &&
    spec.readinessGates === undefined &&
    statuses.length > 0 &&
    statuses.every((container) => container.ready)
  )
}

function silentNode({ pod, events }: PodObservation): Finding {
  const node = pod.spec.nodeName ?? ''
  return {
    state: 'stuck',
    loop: `kubelet on ${node}`,
    object: describeObject(pod),
    gap:
      pod.metadata.deletionTimestamp === undefined
        ? 'its node has stopped reporting, so the pod counts as not ready, whatever its containers do'
        : 'it is to be deleted, but its node has stopped reporting: nobody knows whether its containers have ended',
    ...sinceUnready(pod),
    evidence: ['condition Ready=False, all container statuses ready', ...eventEvidence(events, ['NodeNotReady'])],
    advice: `Look at node ${node}. Pods that tolerate this for five minutes (the default) are then deleted, and replaced if their loop may run two of them.`,
  }
}

function notReady({ pod, events }: PodObservation): Finding {
  const statuses = pod.status?.containerStatuses ?? []
  const unready = statuses.filter(({ ready }) => !ready).map(({ name }) => name)
  const gates =
    pod.spec.readinessGates?.filter(
      ({ conditionType }) => conditionOf(pod.status?.conditions, conditionType)?.status !== 'True',
    ) ?? []
  const ready = conditionOf(pod.status?.conditions, 'Ready')
  const probed = pod.spec.containers.filter(
    ({ name, readinessProbe, startupProbe }) => unready.includes(name) && (readinessProbe ?? startupProbe),
  )
  const failures = eventEvidence(events, ['Unhealthy'])
  const [first] = probed
  return {
    state: failures.length > 0 || gates.length > 0 ? 'stuck' : 'progressing',
    loop: gates.length > 0 ? 'whoever sets the readiness gates' : `kubelet on ${pod.spec.nodeName ?? ''} (probes)`,
    object: describeObject(pod),
    gap:
      gates.length > 0
        ? `it runs, but readiness gates are not met: ${gates.map(({ conditionType }) => conditionType).join(', ')}`
        : `it runs, but ${probed.length > 0 ? `the probe of ${probed.map(({ name }) => name).join(', ')} has not succeeded` : `not all containers are ready: ${unready.join(', ')}`}, so no EndpointSlice sends traffic to it`,
    ...sinceUnready(pod),
    evidence: [...(ready === undefined ? [] : [describeCondition(ready)]), ...failures],
    ...(gates.length === 0 && failures.length > 0 && first !== undefined
      ? { advice: `See what the probe asks for, and what the container says: ${logsOf(pod, first.name)}` }
      : {}),
  }
}

function deleting({ pod, events }: PodObservation): Finding {
  const { finalizers = [], deletionTimestamp } = pod.metadata
  return {
    state: finalizers.length > 0 ? 'stuck' : 'progressing',
    loop:
      finalizers.length > 0
        ? `the owner of finalizer ${finalizers.join(', ')}`
        : `kubelet on ${pod.spec.nodeName ?? '(no node)'}`,
    object: describeObject(pod),
    gap:
      finalizers.length > 0
        ? 'it is being deleted and waits for its finalizers'
        : 'it is being deleted: its containers have their grace period to end',
    ...sinceTime(deletionTimestamp),
    evidence: [
      `metadata.deletionTimestamp is ${deletionTimestamp}`,
      ...eventEvidence(events, ['Killing', 'FailedKillPod', 'FailedPreStopHook']),
    ],
  }
}

/** The container that ended with an error, and how. */
export function failedContainer({ status }: Pod): { readonly name: string; readonly text: string } | undefined {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  for (const { name, state } of all) {
    const { exitCode = 0, reason = 'Error' } = state?.terminated ?? {}
    if (exitCode !== 0) return { name, text: `container ${name} ended with exit code ${exitCode} (${reason})` }
  }
  return undefined
}

function finished(pod: Pod): Finding {
  const { phase, message, reason } = pod.status ?? {}
  const object = describeObject(pod)
  const evidence = [`status.phase is ${phase}${reason === undefined ? '' : `, status.reason ${reason}`}`]
  if (phase !== 'Failed') return { state: 'converged', loop: 'none', object, gap: 'it has done its work', evidence }
  const failed = failedContainer(pod)
  return {
    state: 'stuck',
    loop: 'none: a failed pod is not started again',
    object,
    gap: `it has failed: ${message ?? reason ?? failed?.text ?? 'a container ended with an error'}`,
    ...sinceUnready(pod),
    evidence,
    ...(failed === undefined ? {} : { advice: `Read why it ended: ${logsOf(pod, failed.name)}` }),
  }
}

/** The first loop of the chain that has not done its part for this pod. */
export function explainPod(observation: PodObservation): Finding {
  const { pod } = observation
  const { phase, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {}
  if (isOnSilentNode(pod)) return silentNode(observation)
  if (pod.metadata.deletionTimestamp !== undefined) return deleting(observation)
  if (phase === 'Succeeded' || phase === 'Failed') return finished(pod)
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '') return unscheduled(observation)
  for (const status of [...initContainerStatuses, ...containerStatuses]) {
    const finding = waitingContainer(observation, status)
    if (finding !== undefined) return finding
  }
  if (isReady(pod.status))
    return {
      state: 'converged',
      loop: 'none',
      object: describeObject(pod),
      gap: `it runs on ${pod.spec.nodeName} and is Ready`,
      evidence: [],
    }
  if (phase === 'Running') return notReady(observation)
  return runningInit(observation) ?? preparing(observation)
}

function preparing({ pod, events }: PodObservation): Finding {
  const problem = newestEvent(events, podReasons)
  const advice = problem === undefined ? undefined : configAdvice(pod, problem.message ?? '')
  return {
    state: problem === undefined ? 'progressing' : 'stuck',
    loop: `kubelet on ${pod.spec.nodeName}`,
    object: describeObject(pod),
    gap:
      problem === undefined
        ? 'it has a node; the kubelet is preparing its containers'
        : `it has a node, but its containers are not created: ${problem.message ?? problem.reason ?? ''}`,
    ...sinceUnready(pod),
    evidence: [
      `spec.nodeName is ${pod.spec.nodeName}`,
      `status.phase is ${pod.status?.phase ?? 'empty'}`,
      ...eventEvidence(events, podReasons),
    ],
    ...(advice === undefined ? {} : { advice }),
  }
}
