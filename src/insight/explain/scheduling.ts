// Why a pod has no node: nobody may look at it, nobody does, no node fits, or what it needs is not there yet. Pure.

import type { Event, Pod, PodResourceClaim } from '#kinds'
import { eventEvidence } from './events.ts'
import { conditionOf, describeCondition, describeObject, type Finding, sinceTime } from './finding.ts'

export interface QueuedPod {
  readonly pod: Pod
  readonly events: readonly Event[]
  /** The schedulers that run here; default: the usual one. */
  readonly schedulers?: readonly string[]
}

const usualScheduler = 'default-scheduler'

export function unscheduled(observation: QueuedPod): Finding {
  const { pod, schedulers = [usualScheduler] } = observation
  const { schedulerName: named = usualScheduler, resourceClaims: claims = [], schedulingGates = [] } = pod.spec
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled')
  const common = {
    object: describeObject(pod),
    ...sinceTime(scheduled?.lastTransitionTime ?? pod.metadata.creationTimestamp),
  }
  if (schedulingGates.length > 0)
    return {
      ...common,
      state: 'stuck',
      loop: 'whoever set the scheduling gates',
      gap: `the scheduler does not look at it while it has scheduling gates: ${schedulingGates.map(({ name }) => name).join(', ')}`,
      evidence: ['spec.schedulingGates is not empty'],
    }
  if (!schedulers.includes(named))
    return {
      ...common,
      state: 'stuck',
      loop: `scheduler ${named}`,
      gap: `it asks for the scheduler "${named}", which does not run here`,
      evidence: ['spec.nodeName is empty', `spec.schedulerName is ${named}`],
      advice: `Leave out spec.schedulerName, or name one that runs here (${schedulers.join(', ')}), or bind the pod yourself.`,
    }
  if (claims.length > 0 && scheduled === undefined) return withoutClaims(observation, claims)
  return { ...common, ...(scheduled?.status === 'False' ? refused(observation) : queued(observation)) }
}

type Verdict = Omit<Finding, 'object' | 'since'>

const queued = ({ pod }: QueuedPod): Verdict => ({
  state: 'progressing',
  loop: 'scheduler',
  gap: 'it has no node yet and is in the scheduling queue',
  evidence: ['spec.nodeName is empty', ...nominated(pod.status?.nominatedNodeName)],
})

const nominated = (node: string | undefined): readonly string[] =>
  node === undefined ? [] : [`status.nominatedNodeName is ${node}`]

function refused({ pod, events }: QueuedPod): Verdict {
  const scheduled = conditionOf(pod.status?.conditions, 'PodScheduled')
  const message = scheduled?.message ?? 'no node fits'
  const node = pod.status?.nominatedNodeName
  const evidence = [
    'spec.nodeName is empty',
    ...nominated(node),
    ...(scheduled === undefined ? [] : [describeCondition(scheduled)]),
    // Mostly the condition's words again.
    ...eventEvidence(
      events.filter((event) => event.message !== message),
      ['FailedScheduling'],
    ),
  ]
  if (node !== undefined)
    return {
      state: 'progressing',
      loop: 'scheduler',
      gap: `it may have ${node} as soon as the pods that make room for it there have ended`,
      evidence,
    }
  return { state: 'stuck', loop: 'scheduler', gap: message, evidence, advice: adviceFor(message) }
}

/** By what the filters say; the first that fits. */
const adviceByFilter: readonly (readonly [RegExp, string])[] = [
  [/persistentvolumeclaim|PersistentVolumeClaims|binding volumes/, 'Look at its claims: they come before the node.'],
  [
    /Insufficient|Too many pods/,
    'Make room, add a node, or let the pod ask for less: kubectl describe nodes shows what is taken.',
  ],
  [
    /node affinity\/selector/,
    'Label a node as the pod wants it (kubectl get nodes --show-labels), or change spec.nodeSelector and affinity.',
  ],
  [/untolerated taint/, 'Let the pod tolerate the taint, or take it off: kubectl describe node NODE shows it.'],
  [/were unschedulable/, 'Let pods on again: kubectl uncordon NODE.'],
  [/free ports/, 'Another pod has that host port on every node: leave spec.containers.ports.hostPort out.'],
  [
    /anti-affinity|pod affinity|topology spread/,
    'Add a node in another place, or loosen the rule of affinity or spread that it names.',
  ],
  [/volume node affinity|volume count|zone/, 'Its volume ties it to nodes that have no room for it.'],
]

const adviceFor = (message: string): string =>
  adviceByFilter.find(([filter]) => filter.test(message))?.[1] ??
  'Make room or change what the pod asks for: the message counts the nodes by the filter that refused them.'

/** The scheduler does not try a pod before all of its claims are there. */
function withoutClaims({ pod, events }: QueuedPod, claims: readonly PodResourceClaim[]): Finding {
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
    ...sinceTime(pod.metadata.creationTimestamp),
    evidence: ['spec.nodeName is empty', `spec.resourceClaims: ${names}`, ...failures],
  }
}
