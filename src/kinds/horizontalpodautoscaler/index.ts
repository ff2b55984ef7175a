// HorizontalPodAutoscaler, autoscaling/v1 and v2. Both are stored as v2; the rules of v1 see the stored form, too, but for
// their defaults.

import { AutoscalingV1HorizontalPodAutoscaler, AutoscalingV2HorizontalPodAutoscaler } from '../generated/types.ts'
import type { Kind, KindRules } from '../kind.ts'
import { autoscalerColumns } from './columns.ts'
import { v1Defaults, v2Defaults } from './defaults.ts'
import { validateAutoscaler, validateAutoscalerStatus } from './validate.ts'

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler

export const autoscalerRules: KindRules<Autoscaler> = {
  kind: AutoscalingV2HorizontalPodAutoscaler,
  generation: 'none',
  defaults: v2Defaults,
  validate: validateAutoscaler,
  validateStatusUpdate: validateAutoscalerStatus,
  columns: autoscalerColumns,
}

export const autoscalerV1Rules: KindRules<Autoscaler> = {
  ...autoscalerRules,
  kind: AutoscalingV1HorizontalPodAutoscaler as unknown as Kind<Autoscaler>,
  defaults: v1Defaults as unknown as (autoscaler: Autoscaler) => Autoscaler,
}
