// Why an autoscaler does not scale, or not as far as it wants. Pure.

import type { HorizontalPodAutoscaler } from '#kinds'
import type { AnyObject } from '#objects'
import { explainDeletion } from './deletion.ts'
import { conditionOf, describeCondition, describeObject, type Finding, sinceTime } from './finding.ts'
import { explainGeneration } from './generic.ts'

const loop = 'podautoscaler'

function adviceFor(reason: string, message: string, target: string): string | undefined {
  if (reason === 'FailedGetScale') return `Correct spec.scaleTargetRef, or create ${target}.`
  if (reason === 'AmbiguousSelector') return 'Keep one autoscaler for these pods: no two may scale the same.'
  if (/missing request for/.test(message))
    return `State resources.requests in the pod template of ${target}: utilisation is a share of the request.`
  if (/external|custom\.metrics|external\.metrics/i.test(message))
    return 'Somebody has to serve this metric: look at the APIService of its metrics API, or name another metric.'
  if (/FailedGet/.test(reason)) return `Look at the pods of ${target}: only those that are Ready and measured count.`
  return undefined
}

export function explainAutoscaler(object: HorizontalPodAutoscaler): readonly Finding[] {
  const first = explainDeletion(object as unknown as AnyObject) ?? explainGeneration(object as unknown as AnyObject)
  if (first !== undefined) return [first]
  const { spec, status } = object
  const { currentReplicas = 0, desiredReplicas = 0, conditions } = status ?? {}
  const target = `${spec?.scaleTargetRef.kind} ${spec?.scaleTargetRef.name}`
  const evidence = [
    `status: ${currentReplicas} replicas now, ${desiredReplicas} wanted, between ${spec?.minReplicas ?? 1} and ${spec?.maxReplicas}`,
    ...(conditions ?? []).map(describeCondition),
  ]
  const common = { object: describeObject(object), evidence }
  const able = conditionOf(conditions, 'AbleToScale')
  const active = conditionOf(conditions, 'ScalingActive')
  const limited = conditionOf(conditions, 'ScalingLimited')
  const bad = [able, active].find((condition) => condition?.status === 'False')
  if (bad !== undefined && bad.reason !== 'ScalingDisabled') {
    const advice = adviceFor(bad.reason ?? '', bad.message ?? '', target)
    return [
      {
        ...common,
        state: 'stuck',
        loop,
        gap: `it cannot scale ${target}: ${bad.message ?? bad.reason ?? ''}`,
        ...sinceTime(bad.lastTransitionTime),
        ...(advice === undefined ? {} : { advice }),
      },
    ]
  }
  if (bad !== undefined)
    return [{ ...common, state: 'converged', loop: 'none', gap: `${target} has 0 replicas, so it does not scale it` }]
  if (conditions === undefined || conditions.length === 0)
    return [{ ...common, state: 'progressing', loop, gap: `it has not looked at ${target} yet` }]
  if (limited?.status === 'True' && limited.reason === 'TooManyReplicas')
    return [
      {
        ...common,
        state: 'converged',
        loop: 'none',
        gap: `it has ${target} at its most, ${spec?.maxReplicas} replicas, and would want more`,
        ...sinceTime(limited.lastTransitionTime),
        advice: 'Raise spec.maxReplicas if the load is to stay.',
      },
    ]
  if (currentReplicas !== desiredReplicas)
    return [
      {
        ...common,
        state: 'progressing',
        loop,
        gap: `${target} has ${currentReplicas} replicas and shall have ${desiredReplicas}`,
        ...sinceTime(status?.lastScaleTime),
      },
    ]
  const cooling = able?.reason === 'ScaleDownStabilized' || able?.reason === 'ScaleUpStabilized'
  return [
    {
      ...common,
      state: 'converged',
      loop: 'none',
      gap: cooling
        ? `${target} keeps ${currentReplicas} replicas for now: ${able.message ?? ''}`
        : `${target} has the ${currentReplicas} replicas that its metrics ask for`,
    },
  ]
}
