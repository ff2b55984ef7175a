// StatefulSet (apps/v1): defaults and columns; validation stands in validate.ts.

import { type PersistentVolumeClaim, StatefulSet, type StatefulSetUpdateStrategy } from '../generated/types.ts'
import type { Column, KindRules } from '../kind.ts'
import { claimDefaults } from '../persistentvolumeclaim/defaults.ts'
import { templateDefaults } from '../podspec/defaults.ts'
import { templateWarnings } from '../podspec/warnings.ts'
import { mapShared, withDefaults } from '../sharing.ts'
import { ageColumn, containerColumns, nameColumn, text, wide } from '../table/columns.ts'
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
  defaults,
  validate: validateStatefulSet,
  validateUpdate: validateStatefulSetUpdate,
  validateStatusUpdate: validateStatefulSetStatus,
  warnings: ({ spec }, old) => templateWarnings(spec.template, 'spec.template', old?.spec.template),
  columns,
}
