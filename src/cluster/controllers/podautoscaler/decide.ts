// What a HorizontalPodAutoscaler does with the size of its target: limits first, then what its metrics propose, then how
// fast that may be reached. Pure; texts are Kubernetes' own.

import type { HorizontalPodAutoscaler, MetricStatus, Pod } from '#kinds'
import { able, active, disabled, gotScale, limited, type Status, statusWith, type Text, unseen } from './conditions.ts'
import type { History } from './history.ts'
import { limit, type Wish, withStep } from './limits.ts'
import { evaluate } from './metrics.ts'
import type { Failure, Samples, Situation, Success } from './situation.ts'

export interface Target {
  /** The target's spec.replicas, and how many it has now. */
  readonly replicas: number
  readonly running: number
  /** The selector of its pods, as text; and what is wrong with it. */
  readonly selector: string
  readonly unreadable?: string
}

export interface Observed {
  readonly scaler: HorizontalPodAutoscaler
  /** Or why it could not be read. */
  readonly target: Target | { readonly error: string }
  /** Pods that the target selects, by name. */
  readonly pods: readonly Pod[]
  readonly samples: Samples
  readonly readings: Situation['readings']
  /** Names of all autoscalers whose targets select some of these pods. */
  readonly rivals: readonly string[]
  readonly history: History
  readonly now: number
}

export interface Occurrence {
  readonly reason: string
  readonly message: string
}

export interface Decision {
  readonly status: Status
  /** New size of the target. The events and the status hold if it can be written. */
  readonly resize?: { readonly replicas: number; readonly reason: string }
  readonly events: readonly Occurrence[]
  readonly history: History
}

export function decideScaler(seen: Observed): Decision {
  const { scaler, target, now } = seen
  if ('error' in target) {
    const message = `the HPA controller was unable to get the target's current scale: ${target.error}`
    const status = unseen(scaler, able('False', 'FailedGetScale', message), now)
    return { status, events: [{ reason: 'FailedGetScale', message: target.error }], history: seen.history }
  }
  const { replicas } = target
  // What was there before the autoscaler came counts as its first recommendation.
  const begin = seen.history.recommendations
  const recommendations = begin.length > 0 ? begin : [{ replicas, at: now }]
  const history = { ...seen.history, recommendations }
  const observed = { ...seen, history }
  const { minReplicas = 1, maxReplicas } = scaler.spec
  if (replicas === 0 && minReplicas !== 0)
    return {
      status: statusWith(scaler, { current: 0, desired: 0 }, [gotScale, disabled], now),
      events: [],
      history,
    }
  if (replicas > maxReplicas)
    return settle(observed, target, {
      desired: maxReplicas,
      reason: 'Current number of replicas above Spec.MaxReplicas',
    })
  if (replicas < minReplicas)
    return settle(observed, target, {
      desired: minReplicas,
      reason: 'Current number of replicas below Spec.MinReplicas',
    })
  return byMetrics(observed, target)
}

interface Plan {
  readonly desired: number
  readonly reason: string
  readonly texts?: readonly Text[]
  readonly events?: readonly Occurrence[]
  readonly metrics?: readonly MetricStatus[]
  readonly history?: History
}

function settle(observed: Observed, { replicas }: Target, plan: Plan): Decision {
  const { scaler, now } = observed
  const { desired, reason, texts = [], events = [], metrics, history = observed.history } = plan
  const counts = { current: replicas, desired, ...(metrics === undefined ? {} : { metrics }) }
  if (desired === replicas) return { status: statusWith(scaler, counts, [gotScale, ...texts], now), events, history }
  const rescaled = able(
    'True',
    'SucceededRescale',
    `the HPA controller was able to update the target scale to ${desired}`,
  )
  return {
    status: statusWith(scaler, { ...counts, scaledAt: now }, [gotScale, ...texts, rescaled], now),
    resize: { replicas: desired, reason },
    events: [...events, { reason: 'SuccessfulRescale', message: `New size: ${desired}; reason: ${reason}` }],
    history: withStep(wishOf({ ...observed, history }, replicas, desired), replicas, desired),
  }
}

/** What is left of a decision when the new size could not be written. */
export function failedRescale(observed: Observed, decision: Decision, error: string): Decision {
  const { resize, status } = decision
  const { replicas = 0, reason = '' } = resize ?? {}
  const { scaler, now } = observed
  const { ups, downs } = observed.history
  const { currentReplicas: current = 0, currentMetrics: metrics, conditions = [] } = status
  const text = able('False', 'FailedUpdateScale', `the HPA controller was unable to update the target scale: ${error}`)
  const before = { ...scaler, status: { desiredReplicas: 0, ...scaler.status, conditions } }
  const failed = { reason: 'FailedRescale', message: `New size: ${replicas}; reason: ${reason}; error: ${error}` }
  return {
    status: statusWith(before, { current, ...(metrics === undefined ? {} : { metrics }) }, [text], now),
    events: [...decision.events.filter((event) => event.reason !== 'SuccessfulRescale'), failed],
    history: { ...decision.history, ups, downs },
  }
}

function wishOf({ scaler, history, now }: Observed, current: number, desired: number): Wish {
  const { minReplicas = 1, maxReplicas, behavior } = scaler.spec
  const own = behavior === undefined ? {} : { behavior }
  return { current, desired, min: minReplicas, max: maxReplicas, history, now, ...own }
}

/** Why the pods of the target cannot be told. */
function selectorFault(target: Target, rivals: readonly string[]): (Occurrence & { readonly text: Text }) | undefined {
  const { selector, unreadable } = target
  if (selector === '')
    return {
      reason: 'SelectorRequired',
      message: 'selector is required',
      text: active('False', 'InvalidSelector', "the HPA target's scale is missing a selector"),
    }
  if (unreadable !== undefined) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${unreadable}`
    return { reason: 'InvalidSelector', message, text: active('False', 'InvalidSelector', message) }
  }
  if (rivals.length < 2) return undefined
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`
  return { reason: 'AmbiguousSelector', message, text: active('False', 'AmbiguousSelector', message) }
}

function byMetrics(observed: Observed, target: Target): Decision {
  const { scaler, pods, samples, readings, rivals, now, history } = observed
  const { replicas, running } = target
  const fault = selectorFault(target, rivals)
  if (fault !== undefined) {
    const { text, reason, message } = fault
    const events = [
      { reason, message },
      { reason: 'FailedComputeMetricsReplicas', message },
    ]
    return { status: statusWith(scaler, { current: replicas }, [gotScale, text], now), events, history }
  }
  const metrics = scaler.spec.metrics ?? []
  const namespace = scaler.metadata.namespace ?? ''
  const situation = { namespace, replicas, running, pods, samples, readings, now }
  const results = metrics.map((metric) => evaluate(metric, situation))
  const failures = results.filter(isFailure)
  const best = highest(results)
  // Metrics without a value are listed all the same, as empty entries.
  const currentMetrics = results.map((result) => (isFailure(result) ? { type: '' } : result.status))
  const events = failures.map(({ reason, message }) => ({ reason, message }))
  const [first] = failures
  if (first !== undefined && (best === undefined || best.replicas < replicas)) {
    const text = active('False', first.reason, `the HPA was unable to compute the replica count: ${first.message}`)
    const invalid = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.context}: ${first.message}`
    return {
      status: statusWith(scaler, { current: replicas, metrics: currentMetrics }, [gotScale, text], now),
      events: [...events, { reason: 'FailedComputeMetricsReplicas', message: invalid }],
      history,
    }
  }
  if (best === undefined)
    return { status: statusWith(scaler, { current: replicas }, [gotScale], now), events: [], history }
  return withRate(observed, target, { best, metrics: currentMetrics, events })
}

const isFailure = (result: Success | Failure): result is Failure => 'context' in result

/** The first of the metrics that propose the most. */
function highest(results: readonly (Success | Failure)[]): Success | undefined {
  let best: Success | undefined
  for (const result of results)
    if (!isFailure(result) && (best === undefined || result.replicas > best.replicas)) best = result
  return best
}

interface Proposed extends Pick<Plan, 'metrics' | 'events'> {
  readonly best: Success
}

function withRate(observed: Observed, target: Target, { best, ...rest }: Proposed): Decision {
  const { replicas } = target
  const allowed = limit(wishOf(observed, replicas, best.replicas))
  const found = `the HPA was able to successfully calculate a replica count from ${best.name}`
  const { status, reason, message } = allowed.limited
  const above = best.replicas > replicas ? `${best.name} above target` : 'All metrics below target'
  return settle(observed, target, {
    ...rest,
    desired: allowed.replicas,
    reason: best.replicas === replicas ? '' : above,
    texts: [
      active('True', 'ValidMetricFound', found),
      able('True', allowed.able.reason, allowed.able.message),
      limited(status, reason, message),
    ],
    history: { ...observed.history, recommendations: allowed.recommendations },
  })
}
