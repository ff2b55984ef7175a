// ReplicaSet (apps/v1): defaults, validation and columns.

import { isEqual } from '#objects'
import type { FieldError } from '../field-error.ts'
import { ReplicaSet } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { formatSelector } from '../selector/format.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, containerColumns, integer, nameColumn, text, wide } from '../table/columns.ts'
import { checkImmutableSelector, checkNonNegative } from '../workload/selector.ts'
import { checkAvailableAreReady, checkCounts, checkPartsOfReplicas, withoutEnding } from '../workload/status.ts'
import { checkSelectorAndTemplate } from '../workload/template.ts'
import { workloadWarnings } from '../workload/warnings.ts'

function defaults(set: ReplicaSet): ReplicaSet {
  const { spec } = set
  return withDefaults(set, {
    spec: withDefaults(spec, { replicas: spec.replicas ?? 1, template: templateDefaults(spec.template) }),
  })
}

function validate({ spec }: ReplicaSet): readonly FieldError[] {
  const errors: FieldError[] = []
  checkNonNegative(spec.replicas, 'spec.replicas', errors)
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  checkSelectorAndTemplate(spec, { selectorOf: 'deployment', deadlineIn: 'ReplicaSet' }, errors)
  return errors
}

function validateUpdate(set: ReplicaSet, old: ReplicaSet): readonly FieldError[] {
  const errors = [...validate(set)]
  checkImmutableSelector(set.spec.selector, isEqual(set.spec.selector, old.spec.selector), errors)
  return errors
}

function validateStatusUpdate({ status }: ReplicaSet): readonly FieldError[] {
  const errors: FieldError[] = []
  const counts = status ?? {}
  checkCounts(
    counts,
    [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ],
    errors,
  )
  checkPartsOfReplicas(counts, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], errors)
  checkAvailableAreReady(counts, errors)
  return errors
}

const columns: readonly Column<ReplicaSet>[] = [
  nameColumn,
  integer(
    'Desired',
    'Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
    ({ spec }) => spec.replicas ?? 0,
  ),
  integer(
    'Current',
    'Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
    ({ status }) => status?.replicas ?? 0,
  ),
  integer(
    'Ready',
    'The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.',
    ({ status }) => status?.readyReplicas ?? 0,
  ),
  ageColumn,
  ...containerColumns<ReplicaSet>(({ spec }) => spec.template).map(wide),
  wide(
    text(
      'Selector',
      'Selector is a label query over pods that should match the replica count. If the selector is empty, it is defaulted to the labels present on the pod template. Label keys and values that must match in order to be controlled by this replica set. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
      ({ spec }) => formatSelector(spec.selector),
    ),
  ),
]

export const replicaSetRules: KindRules<ReplicaSet> = {
  kind: ReplicaSet,
  metaOnUpdate: 'mu',
  defaults,
  prepareForStatusUpdate: (set, old) => ({
    ...old,
    metadata: set.metadata,
    ...(set.status && { status: withoutEnding(set.status, old.status) }),
  }),
  validate,
  validateUpdate,
  validateStatusUpdate,
  warnings: workloadWarnings,
  columns,
}
