// Why the API server does not let a loop create what it wants: a webhook, a quota, a policy, something that is not there.
// Told by the words of the refusal, which are all that the loop got. Pure.

import type { KubeObject } from '#objects'
import { type EventLike, eventEvidence, newestEvent } from './events.ts'
import {
  type ConditionLike,
  conditionOf,
  describeCondition,
  describeObject,
  type Finding,
  sinceTime,
} from './finding.ts'

export interface Refusal {
  readonly gap: string
  readonly advice?: string
}

interface Cause {
  readonly pattern: RegExp
  readonly refusal: (words: RegExpExecArray, namespace: string) => Refusal
}

const causes: readonly Cause[] = [
  {
    pattern: /failed calling webhook "([^"]{1,253})"/,
    refusal: ([, webhook]) => ({
      gap: `the admission webhook ${webhook} does not answer`,
      advice: `The webhook stops its own recovery if its pods are among those refused: exclude its namespace, or delete the webhook configuration that names ${webhook}.`,
    }),
  },
  {
    pattern: /admission webhook "([^"]{1,253})" denied the request:? ?(.{0,500})/,
    refusal: ([, webhook, why]) => ({ gap: `the admission webhook ${webhook} denies them: ${why}` }),
  },
  {
    pattern: /exceeded quota: (\S{1,253}), (requested: .{1,500})/,
    refusal: ([, quota, counts], namespace) => ({
      gap: `the quota ${quota} is used up: ${counts}`,
      advice: `Raise the quota or take something away: kubectl describe resourcequota -n ${namespace} ${quota}`,
    }),
  },
  {
    pattern: /failed quota: (\S{1,253}): must specify (.{1,500})/,
    refusal: ([, quota, what]) => ({
      gap: `the quota ${quota} counts what the pods do not state: ${what}`,
      advice: 'State these requests and limits in the pod template, or give the namespace a LimitRange with defaults.',
    }),
  },
  {
    pattern: /violates PodSecurity "([^"]{1,100})": (.{1,1000})/,
    refusal: ([, level, why], namespace) => ({
      gap: `the namespace allows ${level} pods only: ${why}`,
      advice: `Correct the pod template, or the label pod-security.kubernetes.io/enforce of namespace ${namespace}.`,
    }),
  },
  {
    pattern: /((?:maximum|minimum) \S{1,100} usage per .{1,300})/,
    refusal: ([, why], namespace) => ({
      gap: `a LimitRange is against it: ${why}`,
      advice: `Correct resources in the pod template, or the limits: kubectl describe limitrange -n ${namespace}`,
    }),
  },
  {
    pattern: /no PriorityClass with name (\S{1,253}) was found/,
    refusal: ([, name]) => ({
      gap: `the PriorityClass ${name} does not exist`,
      advice: `Create the PriorityClass ${name}, or correct priorityClassName in the pod template.`,
    }),
  },
  {
    pattern: /serviceaccount "([^"]{1,253})" not found/,
    refusal: ([, name], namespace) => ({
      gap: `the ServiceAccount ${name} does not exist`,
      advice: `kubectl create serviceaccount -n ${namespace} ${name}`,
    }),
  },
  {
    pattern: /ValidatingAdmissionPolicy '([^']{1,253})'.{0,300}denied request: (.{1,500})/,
    refusal: ([, policy, why]) => ({ gap: `the policy ${policy} denies them: ${why}` }),
  },
  {
    pattern: /because it is being terminated/,
    refusal: (_words, namespace) => ({ gap: `the namespace ${namespace} is being deleted` }),
  },
  {
    pattern: /User "([^"]{1,253})" cannot (.{1,300})/,
    refusal: ([, user, what]) => ({
      gap: `${user} may not do it: cannot ${what}`,
      advice: `Give the loop its role back: kubectl auth can-i --list --as ${user}`,
    }),
  },
]

export function refusalIn(message: string, namespace = 'default'): Refusal {
  for (const { pattern, refusal } of causes) {
    const words = pattern.exec(message)
    if (words !== null) return refusal(words, namespace)
  }
  return { gap: message }
}

/** The webhook that did not answer. */
export const webhookIn = (message: string): string | undefined =>
  /failed calling webhook "([^"]{1,253})"/.exec(message)?.[1]

export interface Refused {
  readonly object: KubeObject & { readonly status?: { readonly conditions?: readonly ConditionLike[] } }
  readonly events: readonly EventLike[]
  readonly loop: string
}

/** A loop that cannot create pods: its condition says so, or where the kind has none, its Events do. */
export function creationRefused({ object, events, loop }: Refused): Finding | undefined {
  const failure = conditionOf(object.status?.conditions, 'ReplicaFailure')
  const last = newestEvent(events, ['FailedCreate'])
  if (failure?.status !== 'True' && (last === undefined || hasCondition(object))) return undefined
  const { gap, advice } = refusalIn(failure?.message ?? last?.message ?? '', object.metadata.namespace)
  return {
    state: 'stuck',
    loop,
    object: describeObject(object),
    gap: `it wants more pods, and the API server refuses to create them: ${gap}`,
    ...sinceTime(failure?.lastTransitionTime ?? last?.firstTimestamp),
    evidence: [
      ...(failure === undefined ? [] : [describeCondition(failure)]),
      ...eventEvidence(events, ['FailedCreate']),
    ],
    ...(advice === undefined ? {} : { advice }),
  }
}

/** Says by a condition that it cannot create pods, and takes that back. */
const hasCondition = ({ kind }: KubeObject): boolean => kind === 'ReplicaSet' || kind === 'ReplicationController'
