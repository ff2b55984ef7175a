// Which loop a Pod waits for, in the order of the chain: scheduler, kubelet (sandbox, image, start), probe, EndpointSlice.

import type { ContainerStatus, Event, Pod, PodResourceClaim } from '#kinds'
import { crashOf } from './crash.ts'
import { conditionOf, describeCondition, describeObject, eventEvidence, type Finding, isReady } from './finding.ts'

export interface PodObservation {
  readonly pod: Pod
  readonly events: readonly Event[]
  /** The schedulers that run here; default: the usual one. */
  readonly schedulers?: readonly string[]
}

const usualScheduler = 'default-scheduler'

const unscheduled = ({ pod, events, schedulers = [usualScheduler] }: PodObservation): Finding => {
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled')
  const gates = pod.spec.schedulingGates?.map(({ name }) => name) ?? []
  if (gates.length > 0)
    return {
      state: 'stuck',
      loop: 'whoever set the scheduling gates',
      object: describeObject(pod),
      gap: `the scheduler does not look at it while it has scheduling gates: ${gates.join(', ')}`,
      evidence: ['spec.schedulingGates is not empty'],
    }
  const named = pod.spec.schedulerName ?? usualScheduler
  if (!schedulers.includes(named))
    return {
      state: 'stuck',
      loop: `scheduler ${named}`,
      object: describeObject(pod),
      gap: `it asks for the scheduler "${named}", which does not run here`,
      evidence: ['spec.nodeName is empty', `spec.schedulerName is ${named}`],
      advice: `Leave out spec.schedulerName, or name one that runs here (${schedulers.join(', ')}), or bind the pod yourself.`,
    }
  const claims = pod.spec.resourceClaims ?? []
  if (claims.length > 0 && scheduled === undefined) return withoutClaims({ pod, events }, claims)
  const refused = scheduled?.status === 'False'
  return {
    state: refused ? 'stuck' : 'progressing',
    loop: 'scheduler',
    object: describeObject(pod),
    gap: refused ? (scheduled.message ?? 'no node fits') : 'it has no node yet and is in the scheduling queue',
    evidence: [
      'spec.nodeName is empty',
      ...(scheduled === undefined ? [] : [describeCondition(scheduled)]),
      ...eventEvidence(events, ['FailedScheduling']),
    ],
    ...(refused
      ? {
          advice:
            'Make room or change what the pod asks for: the message counts the nodes by the filter that refused them.',
        }
      : {}),
  }
}

/** The scheduler does not try a pod before all of its claims are there. */
function withoutClaims({ pod, events }: PodObservation, claims: readonly PodResourceClaim[]): Finding {
  const made = new Set(pod.status?.resourceClaimStatuses?.map(({ name }) => name))
  const unmade = claims.filter(({ name, resourceClaimTemplateName: of }) => of !== undefined && !made.has(name))
  const failures = eventEvidence(events, ['FailedResourceClaimCreation'])
  const names = claims.map(({ name, resourceClaimName: claim }) => claim ?? name).join(', ')
  return {
    state: failures.length > 0 ? 'stuck' : 'progressing',
    loop: unmade.length > 0 ? 'resourceclaim controller' : 'scheduler',
    object: describeObject(pod),
    gap:
      unmade.length > 0
        ? `ResourceClaims are to be made for it: ${unmade.map(({ name, resourceClaimTemplateName: of }) => `${name} from the template ${of}`).join(', ')}`
        : `it is tried as soon as its ResourceClaims are there: ${names}`,
    evidence: ['spec.nodeName is empty', `spec.resourceClaims: ${names}`, ...failures],
  }
}

const pullAdvice = (text: string): string | undefined => {
  if (/toomanyrequests|429/i.test(text)) return 'The registry limits pulls: wait, or pull with credentials.'
  if (/unauthorized|401|denied|403/i.test(text))
    return 'The registry wants credentials: add an imagePullSecret in this namespace.'
  if (/timeout|timed out|i\/o|no such host|refused/i.test(text))
    return 'The node cannot reach the registry: look at network, DNS and proxies.'
  if (/not found|404|manifest unknown/i.test(text)) return 'The image or its tag does not exist: check the name.'
  return undefined
}

const podReasons = [
  'Failed',
  'FailedMount',
  'FailedCreatePodSandBox',
  'BackOff',
  'Unhealthy',
  'FailedPostStartHook',
  'InspectFailed',
]

/** A container that waits for something the kubelet cannot do by itself. */
function waitingContainer({ pod, events }: PodObservation, status: ContainerStatus): Finding | undefined {
  const waiting = status.state?.waiting
  if (waiting?.reason === undefined || ['ContainerCreating', 'PodInitializing'].includes(waiting.reason))
    return undefined
  const last = status.lastState?.terminated
  const text = waiting.message ?? ''
  const crash = waiting.reason === 'CrashLoopBackOff' ? crashOf(pod, status, events) : undefined
  const advice = crash?.advice ?? pullAdvice(text)
  return {
    state: 'stuck',
    loop: `kubelet on ${pod.spec.nodeName ?? ''}`,
    object: describeObject(pod),
    gap: crash?.gap ?? `container ${status.name} cannot start: ${waiting.reason}${text === '' ? '' : `: ${text}`}`,
    evidence: [
      `container ${status.name} is waiting (${waiting.reason}), ${status.restartCount} restarts`,
      ...(last === undefined ? [] : [`it last ended with exit code ${last.exitCode} (${last.reason ?? ''})`]),
      ...(crash?.evidence ?? eventEvidence(events, podReasons)),
    ],
    ...(advice === undefined ? {} : { advice }),
  }
}

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

function silentNode(pod: Pod, events: PodObservation['events']): Finding {
  const node = pod.spec.nodeName ?? ''
  return {
    state: 'stuck',
    loop: `kubelet on ${node}`,
    object: describeObject(pod),
    gap:
      pod.metadata.deletionTimestamp === undefined
        ? 'its node has stopped reporting, so the pod counts as not ready, whatever its containers do'
        : 'it is to be deleted, but its node has stopped reporting: nobody knows whether its containers have ended',
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
  return {
    state: failures.length > 0 || gates.length > 0 ? 'stuck' : 'progressing',
    loop: gates.length > 0 ? 'whoever sets the readiness gates' : `kubelet on ${pod.spec.nodeName ?? ''} (probes)`,
    object: describeObject(pod),
    gap:
      gates.length > 0
        ? `it runs, but readiness gates are not met: ${gates.map(({ conditionType }) => conditionType).join(', ')}`
        : `it runs, but ${probed.length > 0 ? `the probe of ${probed.map(({ name }) => name).join(', ')} has not succeeded` : `not all containers are ready: ${unready.join(', ')}`}, so no EndpointSlice sends traffic to it`,
    evidence: [...(ready === undefined ? [] : [describeCondition(ready)]), ...failures],
  }
}

function deleting({ pod, events }: PodObservation): Finding {
  const finalizers = pod.metadata.finalizers ?? []
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
    evidence: [
      `metadata.deletionTimestamp is ${pod.metadata.deletionTimestamp}`,
      ...eventEvidence(events, ['Killing', 'FailedKillPod']),
    ],
  }
}

const finished = (pod: Pod): Finding => {
  const failed = pod.status?.phase === 'Failed'
  return {
    state: failed ? 'stuck' : 'converged',
    loop: failed ? 'none: a failed pod is not started again' : 'none',
    object: describeObject(pod),
    gap: failed
      ? `it has failed: ${pod.status?.message ?? pod.status?.reason ?? 'a container ended with an error'}`
      : 'it has done its work',
    evidence: [`status.phase is ${pod.status?.phase}`],
  }
}

/** The first loop of the chain that has not done its part for this pod. */
export function explainPod(observation: PodObservation): Finding {
  const { pod, events } = observation
  if (isOnSilentNode(pod)) return silentNode(pod, events)
  if (pod.metadata.deletionTimestamp !== undefined) return deleting(observation)
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return finished(pod)
  if (pod.spec.nodeName === undefined || pod.spec.nodeName === '') return unscheduled(observation)
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const status of statuses) {
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
  if (pod.status?.phase === 'Running') return notReady(observation)
  const problems = eventEvidence(events, podReasons)
  return {
    state: problems.length > 0 ? 'stuck' : 'progressing',
    loop: `kubelet on ${pod.spec.nodeName}`,
    object: describeObject(pod),
    gap:
      problems.length > 0
        ? 'it has a node, but its containers are not created'
        : 'it has a node; the kubelet is preparing its containers',
    evidence: [`spec.nodeName is ${pod.spec.nodeName}`, `status.phase is ${pod.status?.phase ?? 'empty'}`, ...problems],
  }
}
