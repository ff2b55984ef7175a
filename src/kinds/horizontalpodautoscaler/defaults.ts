// Defaults of HorizontalPodAutoscalers.

import type {
  AutoscalingV2HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HPAScalingRules,
} from '../generated/types.ts'
import { withDefaults } from '../sharing.ts'

const defaultUtilization = 80

export function autoscalerDefaults(
  autoscaler: AutoscalingV2HorizontalPodAutoscaler,
): AutoscalingV2HorizontalPodAutoscaler {
  const { spec } = autoscaler
  if (spec === undefined) return autoscaler
  return withDefaults(autoscaler, {
    spec: withDefaults(spec, {
      minReplicas: spec.minReplicas ?? 1,
      metrics: (spec.metrics ?? []).length > 0 ? undefined : [cpuMetric],
      behavior: spec.behavior && behaviorDefaults(spec.behavior),
    }),
  })
}

const cpuMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: defaultUtilization } },
} as const

const behaviorDefaults = (behavior: HorizontalPodAutoscalerBehavior): HorizontalPodAutoscalerBehavior =>
  withDefaults(behavior, {
    scaleUp: rulesDefaults(behavior.scaleUp ?? {}, {
      stabilizationWindowSeconds: 0,
      policies: [podsPolicy, percentPolicy],
    }),
    scaleDown: rulesDefaults(behavior.scaleDown ?? {}, { policies: [percentPolicy] }),
  })

const podsPolicy = { type: 'Pods', value: 4, periodSeconds: 15 } as const
const percentPolicy = { type: 'Percent', value: 100, periodSeconds: 15 } as const

const rulesDefaults = (rules: HPAScalingRules, otherwise: HPAScalingRules): HPAScalingRules =>
  withDefaults(rules, {
    stabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? otherwise.stabilizationWindowSeconds,
    selectPolicy: rules.selectPolicy ?? 'Max',
    policies: rules.policies ?? otherwise.policies,
  })
