// ReplicationController (v1): the selector is a plain map and defaults to the labels of the template.

import { type FieldError, forbidden, invalid, required, twice } from '../field-error.ts'
import { ReplicationController } from '../generated/types.ts'
import { goMap } from '../go-struct.ts'
import type { Column, KindRules } from '../kind.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { checkTemplate } from '../podspec/validate.ts'
import { formatLabels } from '../selector/format.ts'
import { withDefaults } from '../sharing.ts'
import { ageColumn, containerColumns, integer, nameColumn, text, wide } from '../table/columns.ts'
import { checkNonNegative, checkRestartAlways } from '../workload/selector.ts'
import { checkAvailableAreReady, checkCounts, checkPartsOfReplicas } from '../workload/status.ts'
import { isNewGeneration, workloadWarnings } from '../workload/warnings.ts'

function defaults(controller: ReplicationController): ReplicationController {
  const { spec, metadata } = controller
  const labels = spec.template?.metadata?.labels
  const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0
  return withDefaults(controller, {
    metadata: withDefaults(metadata, { labels: isEmpty(metadata.labels) ? labels : undefined }),
    spec: withDefaults(spec, {
      selector: isEmpty(spec.selector) ? labels : undefined,
      replicas: spec.replicas ?? 1,
      template: spec.template && templateDefaults(spec.template),
    }),
  })
}

function validate({ spec }: ReplicationController): readonly FieldError[] {
  const errors: FieldError[] = []
  const { template } = spec
  const selector = spec.selector ?? {}
  checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds', errors)
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'))
  checkNonNegative(spec.replicas, 'spec.replicas', errors)
  if (template === undefined) {
    errors.push(required('spec.template'))
    return errors
  }
  const labels = template.metadata?.labels ?? {}
  if (Object.entries(selector).some(([key, value]) => labels[key] !== value))
    errors.push(
      invalid(
        'spec.template.metadata.labels',
        goMap(template.metadata?.labels),
        '`selector` does not match template `labels`',
      ),
    )
  checkTemplate(template, 'spec.template', errors)
  checkRestartAlways(template, 'spec.template', errors)
  if (template.spec?.activeDeadlineSeconds !== undefined)
    errors.push(
      forbidden(
        'spec.template.spec.activeDeadlineSeconds',
        'activeDeadlineSeconds in ReplicationController is not Supported',
      ),
    )
  return errors
}

function validateStatusUpdate({ status }: ReplicationController): readonly FieldError[] {
  const errors: FieldError[] = []
  const counts = status ?? {}
  checkCounts(
    counts,
    ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
    errors,
  )
  checkPartsOfReplicas(counts, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], errors)
  checkAvailableAreReady(counts, errors)
  return errors
}

const moreInfo =
  'More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicationcontroller#what-is-a-replicationcontroller'

const columns: readonly Column<ReplicationController>[] = [
  nameColumn,
  integer(
    'Desired',
    `Replicas is the number of desired replicas. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. ${moreInfo}`,
    ({ spec }) => spec.replicas ?? 0,
  ),
  integer(
    'Current',
    `Replicas is the most recently observed number of replicas. ${moreInfo}`,
    ({ status }) => status?.replicas ?? 0,
  ),
  integer(
    'Ready',
    'The number of ready replicas for this replication controller.',
    ({ status }) => status?.readyReplicas ?? 0,
  ),
  ageColumn,
  ...containerColumns<ReplicationController>(({ spec }) => spec.template).map(wide),
  wide(
    text(
      'Selector',
      'Selector is a label query over pods that should match the Replicas count. If Selector is empty, it is defaulted to the labels present on the Pod template. Label keys and values that must match in order to be controlled by this replication controller, if empty defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
      ({ spec }) => formatLabels(spec.selector),
    ),
  ),
]

export const replicationControllerRules: KindRules<ReplicationController> = {
  kind: ReplicationController,
  metaOnUpdate: 'mu',
  defaults,
  validate,
  validateUpdate: (controller) => twice(validate(controller)),
  validateStatusUpdate,
  // Of a change, Kubernetes looks at the template that there was.
  warnings: (object, old) =>
    old === undefined
      ? workloadWarnings(object, old)
      : workloadWarnings(old, isNewGeneration(object, old) ? object : old),
  columns,
  selectableFields: { 'status.replicas': ({ status }) => String(status?.replicas ?? 0) },
}
