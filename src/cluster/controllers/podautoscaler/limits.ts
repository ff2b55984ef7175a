// How far one step may go: stabilisation windows, the rates of scaling policies, and the autoscaler's own limits. Pure;
// reasons and messages are those of the conditions AbleToScale and ScalingLimited.

import type { HPAScalingRules } from '#kinds'
import type { History, Recommendation, Step } from './history.ts'

export interface Wish {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
  readonly behavior?: { readonly scaleUp?: HPAScalingRules; readonly scaleDown?: HPAScalingRules }
  readonly history: History
  readonly now: number
}

export interface Limited {
  readonly replicas: number
  readonly able: Verdict
  readonly limited: Verdict & { readonly status: 'True' | 'False' }
  /** With this recommendation, without what is too old to matter. */
  readonly recommendations: readonly Recommendation[]
}

interface Verdict {
  readonly reason: string
  readonly message: string
}

const defaultWindowSeconds = 300
const scaleUpFactor = 2
const scaleUpMinimum = 4

const ready: Verdict = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' }
const highest: Verdict = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
}
const lowest: Verdict = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
}
const within: Verdict = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
}
const tooFew: Verdict = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
}
const tooMany: Verdict = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
}
const tooFast: Verdict = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
}
const tooFastDown: Verdict = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
}

export function limit(wish: Wish): Limited {
  const stable = wish.behavior === undefined ? stabilizedDown(wish) : stabilized(wish)
  const { replicas, verdict } =
    wish.behavior === undefined ? withinUsualRate(wish, stable) : withinPolicies(wish, stable)
  const changed = wish.behavior === undefined || wish.desired < wish.current ? highest : lowest
  return {
    replicas,
    able: stable === wish.desired ? ready : changed,
    limited: { status: replicas === stable ? 'False' : 'True', ...verdict },
    recommendations: remembered(wish),
  }
}

const upWindowMs = ({ behavior }: Wish): number => (behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000
const downWindowMs = ({ behavior }: Wish): number =>
  (behavior?.scaleDown?.stabilizationWindowSeconds ?? defaultWindowSeconds) * 1000

function remembered(wish: Wish): readonly Recommendation[] {
  const cutoff = wish.now - Math.max(upWindowMs(wish), downWindowMs(wish))
  const recent = wish.history.recommendations.filter(({ at }) => at >= cutoff)
  return [...recent, { replicas: wish.desired, at: wish.now }]
}

/** The highest of the last five minutes. */
function stabilizedDown({ desired, history, now }: Wish): number {
  const cutoff = now - defaultWindowSeconds * 1000
  const recent = history.recommendations.filter(({ at }) => at >= cutoff)
  return Math.max(desired, ...recent.map(({ replicas }) => replicas))
}

function stabilized(wish: Wish): number {
  const { desired, current, history, now } = wish
  let [up, down] = [desired, desired]
  for (const { replicas, at } of history.recommendations) {
    if (at > now - upWindowMs(wish)) up = Math.min(up, replicas)
    if (at > now - downWindowMs(wish)) down = Math.max(down, replicas)
  }
  return Math.min(Math.max(current, up), down)
}

interface Allowed {
  readonly replicas: number
  readonly verdict: Verdict
}

function withinUsualRate({ current, min, max }: Wish, desired: number): Allowed {
  const rate = Math.max(scaleUpFactor * current, scaleUpMinimum)
  if (desired < min) return { replicas: min, verdict: tooFew }
  if (desired > Math.min(max, rate))
    return max > rate ? { replicas: rate, verdict: tooFast } : { replicas: max, verdict: tooMany }
  return { replicas: desired, verdict: within }
}

function withinPolicies(wish: Wish, desired: number): Allowed {
  const { current, min, max } = wish
  if (desired > current) {
    const rate = Math.max(current, upLimit(wish))
    if (desired > Math.min(max, rate))
      return max > rate ? { replicas: rate, verdict: tooFast } : { replicas: max, verdict: tooMany }
  } else if (desired < current) {
    const rate = Math.min(current, downLimit(wish))
    if (desired < Math.max(min, rate))
      return min < rate ? { replicas: rate, verdict: tooFastDown } : { replicas: min, verdict: tooFew }
  }
  return { replicas: desired, verdict: within }
}

/** Pods that were changed within a policy's period. */
function changed(steps: readonly Step[], periodSeconds: number, now: number): number {
  let sum = 0
  for (const { change, at } of steps) if (at > now - periodSeconds * 1000) sum += change
  return sum
}

const startOfPeriod = ({ current, history, now }: Wish, periodSeconds: number): number =>
  current - changed(history.ups, periodSeconds, now) + changed(history.downs, periodSeconds, now)

const usualUp: HPAScalingRules = {
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
const usualDown: HPAScalingRules = { policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

function upLimit(wish: Wish): number {
  const { selectPolicy, policies = [] } = wish.behavior?.scaleUp ?? usualUp
  if (selectPolicy === 'Disabled') return wish.current
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = startOfPeriod(wish, periodSeconds)
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100))
  })
  return selectPolicy === 'Min' ? Math.min(...limits) : Math.max(...limits)
}

function downLimit(wish: Wish): number {
  const { selectPolicy, policies = [] } = wish.behavior?.scaleDown ?? usualDown
  if (selectPolicy === 'Disabled') return wish.current
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = startOfPeriod(wish, periodSeconds)
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100))
  })
  // The policy that allows the smallest change leaves the most pods.
  return selectPolicy === 'Min' ? Math.max(...limits) : Math.min(...limits)
}

const longestPeriodMs = (rules: HPAScalingRules | undefined): number =>
  Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds)) * 1000

/** The history with one more step. Without policies of its own an autoscaler needs none. */
export function withStep({ behavior, history, now }: Wish, from: number, to: number): History {
  if (behavior === undefined || from === to) return history
  const step: Step = { change: Math.abs(to - from), at: now }
  const add = (steps: readonly Step[], rules: HPAScalingRules | undefined): readonly Step[] => [
    ...steps.filter(({ at }) => at >= now - longestPeriodMs(rules)),
    step,
  ]
  return to > from
    ? { ...history, ups: add(history.ups, behavior.scaleUp) }
    : { ...history, downs: add(history.downs, behavior.scaleDown) }
}
