// Health of HorizontalPodAutoscaler, v1 (conditions in an annotation) and v2. Deviates from Argo CD on purpose: a failure
// counts only while its condition is not True.

import type { AnyObject } from '#objects'
import { byCondition, degraded, type HealthRule, healthy, progressing, type StatusCondition } from './verdict.ts'

const v1Conditions = 'autoscaling.alpha.kubernetes.io/conditions'

const failures: Readonly<Record<string, ReadonlySet<string>>> = {
  AbleToScale: new Set(['FailedGetScale', 'FailedUpdateScale']),
  ScalingActive: new Set([
    'FailedGetResourceMetric',
    'FailedGetObjectMetric',
    'FailedGetPodsMetric',
    'FailedGetExternalMetric',
    'FailedGetContainerResourceMetric',
    'FailedComputeMetricsReplicas',
    'InvalidSelector',
    'InvalidMetricSourceType',
  ]),
}

export const autoscalerHealth: HealthRule = (object) => {
  const conditions = conditionsOf(object)
  for (const condition of conditions) {
    const isFailure = condition.status !== 'True' && failures[condition.type]?.has(condition.reason ?? '') === true
    if (isFailure) return degraded(byCondition(condition, 'the autoscaler cannot do its work'), condition.message)
  }
  for (const condition of conditions) {
    const isWorking =
      condition.status === 'True' && (condition.type === 'AbleToScale' || condition.type === 'ScalingLimited')
    if (isWorking) return healthy(byCondition(condition, 'the autoscaler can scale'), condition.message)
  }
  return progressing(['status.conditions', undefined, 'neither able to scale nor failed'], 'Waiting to Autoscale')
}

function conditionsOf(object: AnyObject): readonly StatusCondition[] {
  const status = object['status'] as { readonly conditions?: readonly StatusCondition[] } | undefined
  if (status?.conditions !== undefined) return status.conditions
  const text = object.metadata.annotations?.[v1Conditions]
  if (text === undefined) return []
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? (parsed as readonly StatusCondition[]) : []
  } catch {
    return []
  }
}
