// DaemonSet (apps/v1): defaults, the template's generation (an annotation since the field was dropped) and columns.

import { isEqual } from '#objects'
import { DaemonSet } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { templateWarnings } from '../podspec/warnings.ts'
import { formatLabels, formatSelector } from '../selector/format.ts'
import { withDefaults, without } from '../sharing.ts'
import { ageColumn, containerColumns, integer, nameColumn, text, wide } from '../table/columns.ts'
import { rollingDefaults } from '../workload/rolling.ts'
import { validateDaemonSet, validateDaemonSetStatus, validateDaemonSetUpdate } from './validate.ts'

function defaults(set: DaemonSet): DaemonSet {
  const { spec } = set
  return withDefaults(set, {
    spec: withDefaults(spec, {
      updateStrategy: rollingDefaults(spec.updateStrategy ?? {}, { maxUnavailable: 1, maxSurge: 0 }),
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      template: templateDefaults(spec.template),
    }),
  })
}

const generationAnnotation = 'deprecated.daemonset.template.generation'

const templateGeneration = ({ metadata }: DaemonSet): string | undefined => metadata.annotations?.[generationAnnotation]

function withTemplateGeneration(set: DaemonSet, generation: string | undefined): DaemonSet {
  const { annotations } = set.metadata
  if (generation === undefined || annotations?.[generationAnnotation] === generation) return set
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, [generationAnnotation]: generation } },
  }
}

function prepareForUpdate(set: DaemonSet, old: DaemonSet): DaemonSet {
  const before = templateGeneration(old)
  const changed = set.spec.template !== old.spec.template && !isEqual(set.spec.template, old.spec.template)
  const kept = set.status === old.status || old.status === undefined ? set : { ...set, status: old.status }
  return withTemplateGeneration(kept, changed ? String(Number(before ?? '0') + 1) : before)
}

const moreInfo = 'More info: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/'

const columns: readonly Column<DaemonSet>[] = [
  nameColumn,
  integer(
    'Desired',
    `The total number of nodes that should be running the daemon pod (including nodes correctly running the daemon pod). ${moreInfo}`,
    ({ status }) => status?.desiredNumberScheduled ?? 0,
  ),
  integer(
    'Current',
    `The number of nodes that are running at least 1 daemon pod and are supposed to run the daemon pod. ${moreInfo}`,
    ({ status }) => status?.currentNumberScheduled ?? 0,
  ),
  integer(
    'Ready',
    'The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and ready.',
    ({ status }) => status?.numberReady ?? 0,
  ),
  integer(
    'Up-to-date',
    'The total number of nodes that are running updated daemon pod',
    ({ status }) => status?.updatedNumberScheduled ?? 0,
  ),
  integer(
    'Available',
    'The number of nodes that should be running the daemon pod and have one or more of the daemon pod running and available (ready for at least spec.minReadySeconds)',
    ({ status }) => status?.numberAvailable ?? 0,
  ),
  text(
    'Node Selector',
    "NodeSelector is a selector which must be true for the pod to fit on a node. Selector which must match a node's labels for the pod to be scheduled on that node. More info: https://kubernetes.io/docs/concepts/configuration/assign-pod-node/",
    ({ spec }) => formatLabels(spec.template.spec?.nodeSelector),
  ),
  ageColumn,
  ...containerColumns<DaemonSet>(({ spec }) => spec.template).map(wide),
  wide(
    text(
      'Selector',
      'A label query over pods that are managed by the daemon set. Must match in order to be controlled. If empty, defaulted to labels on Pod template. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors',
      ({ spec }) => formatSelector(spec.selector),
    ),
  ),
]

export const daemonSetRules: KindRules<DaemonSet> = {
  kind: DaemonSet,
  metaOnUpdate: 'mu',
  defaults,
  prepareForCreate: (set) => withTemplateGeneration(without(set, 'status'), '1'),
  prepareForUpdate,
  validate: validateDaemonSet,
  validateUpdate: validateDaemonSetUpdate,
  validateStatusUpdate: validateDaemonSetStatus,
  warnings: (set, old) =>
    old === undefined || templateGeneration(set) !== templateGeneration(old)
      ? templateWarnings(set.spec.template, 'spec.template')
      : [],
  columns,
}
