// StatefulSet (apps/v1): defaults and columns; validation stands in validate.ts.

import { type PersistentVolumeClaim, StatefulSet, type StatefulSetUpdateStrategy } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { claimDefaults } from '../persistentvolumeclaim/defaults.ts'
import { claimSpecWarnings } from '../persistentvolumeclaim/warnings.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { templateWarnings } from '../podspec/warnings.ts'
import { mapShared, withDefaults, without } from '../sharing.ts'
import { ageColumn, containerColumns, nameColumn, text, wide } from '../table/columns.ts'
import { isNewGeneration } from '../workload/warnings.ts'
import { validateStatefulSet, validateStatefulSetStatus, validateStatefulSetUpdate } from './validate.ts'

function defaults(set: StatefulSet): StatefulSet {
  const { spec } = set
  const retention = spec.persistentVolumeClaimRetentionPolicy ?? {}
  return withDefaults(set, {
    spec: withDefaults(spec, {
      podManagementPolicy: spec.podManagementPolicy || 'OrderedReady',
      updateStrategy: strategyDefaults(spec.updateStrategy ?? {}),
      persistentVolumeClaimRetentionPolicy: withDefaults(retention, {
        whenDeleted: retention.whenDeleted || 'Retain',
        whenScaled: retention.whenScaled || 'Retain',
      }),
      replicas: spec.replicas ?? 1,
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      template: templateDefaults(spec.template),
      volumeClaimTemplates: spec.volumeClaimTemplates && mapShared(spec.volumeClaimTemplates, embeddedClaim),
    }),
  })
}

function strategyDefaults(strategy: StatefulSetUpdateStrategy): StatefulSetUpdateStrategy {
  const given = strategy.type
    ? strategy
    : withDefaults(strategy, { type: 'RollingUpdate', rollingUpdate: strategy.rollingUpdate ?? {} })
  const rolling = given.rollingUpdate
  if (given.type !== 'RollingUpdate' || rolling === undefined) return given
  return withDefaults(given, { rollingUpdate: withDefaults(rolling, { partition: rolling.partition ?? 0 }) })
}

const embeddedClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  claimDefaults(withDefaults(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }))

/** More than one pod missing at a time is behind a gate that is off: the limit is dropped, unless it is stored already. */
function withoutLimit(set: StatefulSet, old?: StatefulSet): StatefulSet {
  const strategy = set.spec.updateStrategy
  const rolling = strategy?.rollingUpdate
  if (rolling?.maxUnavailable === undefined || old?.spec.updateStrategy?.rollingUpdate?.maxUnavailable !== undefined)
    return set
  const updateStrategy = { ...strategy, rollingUpdate: without(rolling, 'maxUnavailable') }
  return { ...set, spec: { ...set.spec, updateStrategy } }
}

function warnings(set: StatefulSet, old: StatefulSet | undefined): readonly string[] {
  const { template, volumeClaimTemplates = [], revisionHistoryLimit = 0 } = set.spec
  return [
    ...(old === undefined || isNewGeneration(set, old) ? templateWarnings(template, 'spec.template') : []),
    ...volumeClaimTemplates.flatMap(({ spec }, i) =>
      // An update says `Spec`, as Kubernetes does.
      claimSpecWarnings(spec, `spec.volumeClaimTemplates[${i}]${old === undefined ? '' : '.Spec'}`),
    ),
    ...(revisionHistoryLimit < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ]
}

const columns: readonly Column<StatefulSet>[] = [
  nameColumn,
  text(
    'Ready',
    'Number of the pod with ready state',
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  ),
  ageColumn,
  ...containerColumns<StatefulSet>(({ spec }) => spec.template).map(wide),
]

export const statefulSetRules: KindRules<StatefulSet> = {
  kind: StatefulSet,
  // Its pods are called after it, and a pod's name with an ordinal is a host name.
  nameRule: 'label',
  defaults,
  prepareForCreate: (set) => withoutLimit(without(set, 'status')),
  prepareForUpdate: (set, old) => withoutLimit(withDefaults(set, { status: old.status }), old),
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatus,
  warnings,
  columns,
}
