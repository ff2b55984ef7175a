// HorizontalPodAutoscaler, autoscaling/v1 and v2. Both are stored as v2, and the rules of v1 see the stored form.

import { AutoscalingV1HorizontalPodAutoscaler, AutoscalingV2HorizontalPodAutoscaler } from '../generated/types.ts'
import type { Kind, KindRules } from '../kind.ts'
import { autoscalerColumns } from './columns.ts'
import { autoscalerDefaults } from './defaults.ts'
import { validateAutoscaler, validateAutoscalerStatus } from './validate.ts'

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler

export const autoscalerRules: KindRules<Autoscaler> = {
  kind: AutoscalingV2HorizontalPodAutoscaler,
  generation: 'none',
  defaults: autoscalerDefaults,
  validate: validateAutoscaler,
  validateStatusUpdate: validateAutoscalerStatus,
  columns: autoscalerColumns,
}

export const autoscalerV1Rules: KindRules<Autoscaler> = {
  ...autoscalerRules,
  kind: AutoscalingV1HorizontalPodAutoscaler as unknown as Kind<Autoscaler>,
}
