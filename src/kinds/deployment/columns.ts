// What `kubectl get deployments` shows.

import type { Deployment } from '../generated/types.ts'
import type { Column } from '../kind.ts'
import { formatSelector } from '../selector/format.ts'
import { ageColumn, containerColumns, nameColumn, text, wide } from '../table/columns.ts'

export const deploymentColumns: readonly Column<Deployment>[] = [
  nameColumn,
  text(
    'Ready',
    'Number of the pod with ready state',
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  ),
  text(
    'Up-to-date',
    'Total number of non-terminating pods targeted by this deployment that have the desired template spec.',
    ({ status }) => status?.updatedReplicas ?? 0,
  ),
  text(
    'Available',
    'Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.',
    ({ status }) => status?.availableReplicas ?? 0,
  ),
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec.template).map(wide),
  wide(
    text(
      'Selector',
      'Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones affected by this deployment.',
      // Of a bookmark there is none.
      ({ spec: { selector } }) => ((selector as unknown) === null ? '' : formatSelector(selector)),
    ),
  ),
]
