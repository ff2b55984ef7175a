// PodDisruptionBudget (policy/v1).

import { type FieldError, invalid, notSupported } from '../field-error.ts'
import { PodDisruptionBudget } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import type { KindRules } from '../kind.ts'
import { checkConditions } from '../metadata/conditions.ts'
import { checkSelector, printableSelector } from '../selector/validate.ts'
import { ageColumn, integer, nameColumn, text } from '../table/columns.ts'
import { checkAtMostAll, checkCountOrPercent, checkNonNegative } from '../workload/selector.ts'

const internalSpec = goStruct('MinAvailable Selector MaxUnavailable UnhealthyPodEvictionPolicy')
const policies: readonly string[] = ['AlwaysAllow', 'IfHealthyBudget']

function validate({ spec = {} }: PodDisruptionBudget): readonly FieldError[] {
  const errors: FieldError[] = []
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const shown = asGoStruct(internalSpec, {
      ...spec,
      selector: selector == null ? null : printableSelector(selector),
    })
    errors.push(invalid('spec', shown, 'minAvailable and maxUnavailable cannot be both set'))
  }
  for (const field of ['minAvailable', 'maxUnavailable'] as const) {
    checkCountOrPercent(spec[field], `spec.${field}`, errors)
    checkAtMostAll(spec[field], `spec.${field}`, errors)
  }
  checkSelector(selector ?? undefined, 'spec.selector', errors)
  if (policy !== undefined && !policies.includes(policy))
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, policies))
  return errors
}

function validateStatusUpdate({ status }: PodDisruptionBudget): readonly FieldError[] {
  const errors: FieldError[] = []
  checkConditions(status?.conditions ?? [], 'status.conditions', errors)
  for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const)
    checkNonNegative(status?.[field], `status.${field}`, errors)
  return errors
}

const amount = (value: number | string | undefined): string => (value === undefined ? 'N/A' : String(value))

export const podDisruptionBudgetRules: KindRules<PodDisruptionBudget> = {
  kind: PodDisruptionBudget,
  metaOnUpdate: '',
  nameRule: 'path',
  allowUnconditionalUpdate: false,
  validate,
  validateStatusUpdate,
  columns: [
    nameColumn,
    text('Min Available', 'The minimum number of pods that must be available.', ({ spec }) =>
      amount(spec?.minAvailable),
    ),
    text('Max Unavailable', 'The maximum number of pods that may be unavailable.', ({ spec }) =>
      amount(spec?.maxUnavailable),
    ),
    integer(
      'Allowed Disruptions',
      'Calculated number of pods that may be disrupted at this time.',
      ({ status }) => status?.disruptionsAllowed ?? 0,
    ),
    ageColumn,
  ],
}
