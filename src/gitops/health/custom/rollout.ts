// Health of an Argo Rollout. Since 1.0 its controller sums itself up as phase and message; older ones are judged by their
// conditions, their replicas and whether the new version has become the stable one.

import type { AnyObject } from '#objects'
import {
  byCondition,
  healthy,
  progressing,
  type StatusCondition,
  suspended,
  type Verdict,
  verdict,
} from '../verdict.ts'

interface Rollout extends AnyObject {
  readonly spec?: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly workloadRef?: object
    readonly strategy?: { readonly blueGreen?: object | null; readonly canary?: object | null }
  }
  readonly status?: {
    readonly observedGeneration?: string | number
    readonly workloadObservedGeneration?: string | number
    readonly phase?: string
    readonly message?: string
    readonly conditions?: readonly StatusCondition[]
    readonly pauseConditions?: readonly object[] | null
    readonly currentPodHash?: string
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly availableReplicas?: number
    readonly stableRS?: string
    readonly canary?: { readonly stableRS?: string }
    readonly blueGreen?: { readonly activeSelector?: string }
  }
}

const workloadGeneration = 'rollout.argoproj.io/workload-generation'

export function rolloutHealth(object: AnyObject): Verdict {
  const rollout = object as Rollout
  return unobserved(rollout) ?? bySummary(rollout) ?? failed(rollout) ?? paused(rollout) ?? rolledOut(rollout)
}

/** Before 0.10 the observed generation was a hash: what is no number, or a larger one, says nothing. */
function unobserved({ metadata, spec, status }: Rollout): Verdict | undefined {
  const message = 'Waiting for rollout spec update to be observed'
  if (status === undefined) return progressing(['status', undefined, 'not yet written'], message)
  const seen = numberOf(status.observedGeneration)
  if (seen !== undefined && seen < (metadata.generation ?? 0))
    return progressing(['status.observedGeneration', seen, 'older than metadata.generation'], message)
  if (spec?.workloadRef === undefined || metadata.annotations === undefined) return undefined
  const wanted = numberOf(metadata.annotations[workloadGeneration])
  const workload = numberOf(status.workloadObservedGeneration)
  return wanted === workload
    ? undefined
    : progressing(['status.workloadObservedGeneration', workload, `differs from ${workloadGeneration}`], message)
}

const numberOf = (value: string | number | undefined): number | undefined =>
  value === undefined || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value)

const phases = { Healthy: 'Healthy', Progressing: 'Progressing', Degraded: 'Degraded', Paused: 'Suspended' } as const

function bySummary({ status }: Rollout): Verdict | undefined {
  const phase = status?.phase
  if (phase === undefined) return undefined
  const health = Object.hasOwn(phases, phase) ? phases[phase as keyof typeof phases] : 'Unknown'
  return verdict(health, status?.message, ['status.phase', phase, 'what the controller says'])
}

function failed({ status }: Rollout): Verdict | undefined {
  const condition = status?.conditions?.find(
    ({ type, reason = '' }) =>
      type === 'InvalidSpec' ||
      (type === 'Progressing' && (reason === 'RolloutAborted' || reason === 'ProgressDeadlineExceeded')),
  )
  return condition && verdict('Degraded', condition.message, byCondition(condition, 'it cannot go on'))
}

function paused({ spec, status }: Rollout): Verdict | undefined {
  const pauses = status?.pauseConditions ?? []
  if (pauses.length > 0)
    return suspended(['status.pauseConditions', pauses.length, 'paused by the controller'], 'Rollout is paused')
  return spec?.paused === true ? suspended(['spec.paused', true, 'paused by a user'], 'Rollout is paused') : undefined
}

function rolledOut({ spec, status = {} }: Rollout): Verdict {
  const { currentPodHash: hash, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status
  if (hash === undefined)
    return progressing(
      ['status.currentPodHash', undefined, 'not yet written'],
      'Waiting for rollout to finish: status has not been reconciled.',
    )
  const waiting = (field: string, value: unknown, [rule, message]: readonly [rule: string, message: string]) =>
    progressing([field, value, rule], message)
  if (updatedReplicas < (spec?.replicas ?? 1))
    return waiting('status.updatedReplicas', updatedReplicas, [
      'fewer than spec.replicas',
      'Waiting for roll out to finish: More replicas need to be updated',
    ])
  if (availableReplicas < updatedReplicas)
    return waiting('status.availableReplicas', availableReplicas, [
      'fewer than status.updatedReplicas',
      'Waiting for roll out to finish: updated replicas are still becoming available',
    ])
  // 0.8 moved it out of status.canary.
  const stable = status.stableRS ?? (status.canary === undefined ? '' : status.canary.stableRS)
  const strategy = spec?.strategy
  if (strategy?.blueGreen !== undefined && strategy.blueGreen !== null) {
    const active = status.blueGreen?.activeSelector
    if (active !== hash)
      return waiting('status.blueGreen.activeSelector', active, [
        'not the current pods',
        'active service cutover pending',
      ])
    if (stable !== '' && stable !== hash)
      return waiting('status.stableRS', stable, ['not the current pods', 'waiting for analysis to complete'])
  } else if (strategy?.canary !== undefined && strategy.canary !== null) {
    if (replicas > updatedReplicas)
      return waiting('status.replicas', replicas, [
        'more than status.updatedReplicas',
        'Waiting for roll out to finish: old replicas are pending termination',
      ])
    if (stable === '' || stable !== hash)
      return waiting('status.stableRS', stable, ['not the current pods', 'Waiting for rollout to finish steps'])
  }
  return healthy(['status.currentPodHash', hash, 'all replicas are of the current version'])
}
