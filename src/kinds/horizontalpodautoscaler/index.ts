// HorizontalPodAutoscaler, autoscaling/v1 and v2. Both are stored as v2, and the rules of v1 see the stored form.

import { AutoscalingV1HorizontalPodAutoscaler, AutoscalingV2HorizontalPodAutoscaler } from '../generated/types.ts'
import type { Kind, KindRules } from '../kind.ts'
import { withDefaults, without } from '../sharing.ts'
import { autoscalerColumns } from './columns.ts'
import { autoscalerDefaults } from './defaults.ts'
import { validateAutoscaler, validateAutoscalerStatus } from './validate.ts'

type Autoscaler = AutoscalingV2HorizontalPodAutoscaler

/** How far metrics may be off is behind a gate that is off: it is dropped, unless it is stored already. */
function withoutTolerance(autoscaler: Autoscaler, old?: Autoscaler): Autoscaler {
  const { spec } = autoscaler
  const { behavior } = spec ?? {}
  const before = old?.spec?.behavior
  const isStored = before?.scaleUp?.tolerance !== undefined || before?.scaleDown?.tolerance !== undefined
  if (spec === undefined || behavior === undefined || isStored) return autoscaler
  const kept = withDefaults(behavior, {
    scaleUp: behavior.scaleUp && without(behavior.scaleUp, 'tolerance'),
    scaleDown: behavior.scaleDown && without(behavior.scaleDown, 'tolerance'),
  })
  return withDefaults(autoscaler, { spec: withDefaults(spec, { behavior: kept }) })
}

export const autoscalerRules: KindRules<Autoscaler> = {
  kind: AutoscalingV2HorizontalPodAutoscaler,
  generation: 'none',
  defaults: autoscalerDefaults,
  prepareForCreate: (autoscaler) => withoutTolerance(without(autoscaler, 'status')),
  prepareForUpdate: (autoscaler, old) => withoutTolerance(withDefaults(autoscaler, { status: old.status }), old),
  validate: (autoscaler) => validateAutoscaler(autoscaler),
  validateUpdate: validateAutoscaler,
  validateStatusUpdate: validateAutoscalerStatus,
  columns: autoscalerColumns,
}

export const autoscalerV1Rules: KindRules<Autoscaler> = {
  ...autoscalerRules,
  kind: AutoscalingV1HorizontalPodAutoscaler as unknown as Kind<Autoscaler>,
}
