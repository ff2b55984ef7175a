// Storage: object stores and their buckets, snapshots of volumes, NetApp's and OpenShift's operators.

import type { Answer, Rule, RuleTable } from './rule.ts'

const snapshot: Rule = [
  { when: [['status.readyToUse', 'is', true]], answer: ['Healthy', 'Ready to use'] },
  { when: [['status.error', 'set']], answer: ['Degraded', '{status.error.message}'] },
  { answer: ['Progressing', 'Waiting for status'] },
]

const claimPhase = 'Object bucket claim phase is {.}'

/** All other states pass. */
const tenantFailures = [
  'Statefulset not controlled by operator',
  'Another MinIO Tenant already exists in the namespace',
  'Tenant credentials are not set properly',
  'Different versions across MinIO Pools',
  'Pool Decommissioning Not Allowed',
]

export const volumeTable: RuleTable = {
  'minio.min.io/Tenant': [
    {
      field: 'status.currentState',
      values: {
        Initialized: ['Healthy', '{.}'],
        ...Object.fromEntries(tenantFailures.map((state): [string, Answer] => [state, ['Degraded', '{.}']])),
      },
      otherwise: ['Progressing', '{.}'],
    },
    { answer: ['Progressing', 'No status info available'] },
  ],
  'objectbucket.io/ObjectBucketClaim': [
    { when: [['status', 'unset']], answer: ['Progressing', 'Waiting for status to be reported'] },
    {
      field: 'status.phase',
      values: { Bound: ['Healthy', claimPhase], Failed: ['Degraded', claimPhase] },
      otherwise: ['Progressing', claimPhase],
    },
    { answer: ['Progressing', 'Waiting for phase to be reported'] },
  ],
  'ocs.openshift.io/StorageCluster': [
    { conditions: { 'Degraded=True': ['Degraded'] } },
    { conditions: { 'Progressing=True': ['Progressing'] } },
    { conditions: { 'Available=True': ['Healthy'] } },
    { answer: ['Unknown', 'StorageCluster is in an unknown state.'] },
  ],
  'snapshot.storage.k8s.io/VolumeSnapshot': snapshot,
  'snapshot.storage.k8s.io/VolumeSnapshotContent': snapshot,
  'trident.netapp.io/TridentBackendConfig': [
    {
      when: [
        ['status.phase', 'is', 'Bound'],
        ['status.lastOperationStatus', 'is', 'Success'],
      ],
      answer: ['Healthy', '{status.message}'],
    },
    { when: [['status.lastOperationStatus', 'is', 'Failed']], answer: ['Degraded', '{status.message}'] },
    { answer: ['Progressing', 'Waiting for backend creation'] },
  ],
  'trident.netapp.io/TridentOrchestrator': [
    { when: [['status.status', 'is', 'Installed']], answer: ['Healthy', '{status.message}'] },
    { when: [['status.status', 'is', 'Failed', 'Error']], answer: ['Degraded', '{status.message}'] },
    { answer: ['Progressing', 'Waiting for trident installation'] },
  ],
}
