// Health of data stores and of what saves them: Zalando's and Atlas' databases, ClickHouse, Cassandra, Ceph, Elastic, Astra, CDI.

import type { AnyObject } from '#objects'
import { progressing, type Verdict, verdict } from '../verdict.ts'
import { valueAt } from './path.ts'
import type { Answer, Rule, RuleTable } from './rule.ts'

/** Astra's jobs: kind and state; a state of any other name is what went wrong. */
const astraJob: Rule = [
  {
    field: 'status.state',
    values: { Completed: ['Healthy', '{kind} Completed'], Running: ['Progressing', '{kind} Running'] },
    otherwise: ['Degraded', '{.}'],
  },
  { answer: ['Progressing', 'No status available'] },
]

const available: Answer = ['Healthy', '{kind} Available']
const failed: Answer = ['Degraded', '{kind} Failed']

const clickHouse = (product: string): Rule => [
  {
    field: 'status.status',
    values: {
      Completed: ['Healthy', `${product} installation completed successfully`],
      InProgress: ['Progressing', `${product} installation in progress`],
    },
    otherwise: ['Degraded', `${product} status: {.}`],
  },
  { answer: ['Progressing', `${product} status not yet available`] },
]

/** Atlas says by reason or message what Ready waits for; the reason is what is shown. */
const atlas = (inProgress: string, ...words: readonly string[]): Rule => [
  { when: [['status.conditions[type=Ready]', 'unset']], answer: ['Progressing', 'Waiting for Atlas Operator'] },
  { conditions: { 'Ready=True': ['Healthy', '{.reason}'] } },
  { when: [[inProgress, 'is', ...words]], answer: ['Progressing', '{status.conditions[type=Ready].reason}'] },
  { answer: ['Degraded', '{status.conditions[type=Ready].reason}'] },
]

/** Ceph's own health first; the state of the cluster object counts only while that is good. */
function cephHealth(object: AnyObject): Verdict {
  const ceph = valueAt(object, 'status.ceph.health')
  const state = valueAt(object, 'status.state')
  const said = valueAt(object, 'status.message')
  const proof = ['status.ceph.health', ceph, "Ceph's own word"] as const
  const answer = (health: Verdict['status'], ...more: readonly string[]): Verdict =>
    verdict(health, [...more, said].filter((text) => text !== undefined && text !== '').join(' - '), proof)
  if (ceph === undefined) return answer('Progressing')
  const message = `Ceph health is ${ceph}${cephDetails(valueAt(object, 'status.ceph.details'))}`
  if (ceph === 'HEALTH_ERR' || ceph === 'HEALTH_WARN') return answer('Degraded', message)
  if (ceph !== 'HEALTH_OK') return answer('Progressing', message)
  if (state === undefined) return answer('Healthy', message)
  const health =
    state === 'Created' || state === 'Connected' ? 'Healthy' : state === 'Error' ? 'Degraded' : 'Progressing'
  return answer(health, message, `Ceph cluster state is ${state}`)
}

function cephDetails(details: unknown): string {
  if (typeof details !== 'object' || details === null) return ''
  const messages = Object.entries(details)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, detail]) => valueAt(detail, 'message'))
    .filter((message) => message !== undefined)
  return messages.length === 0 ? '' : ` (${messages.join('; ')})`
}

const storePhase = [
  'Ceph object store phase is {.} - endpoint: {status.info.endpoint!}',
  'Ceph object store phase is {.}',
] as const

const reportIt =
  'Ensure your ArgoCD is current and then check for/file a bug report: https://github.com/argoproj/argo-cd/issues'
const unknownBeat: Answer = ['Unknown', `Elastic Beat status is unknown. ${reportIt}`]
const unknownElasticsearch: Answer = ['Unknown', `Elasticsearch Cluster status is unknown. ${reportIt}`]
const checkIndices = 'Check the status of indices, replicas and shards'

/** Fewer nodes than all sets want together. */
function missingNodes(object: AnyObject): Verdict | undefined {
  const sets = valueAt(object, 'spec.nodeSets')
  const there = valueAt(object, 'status.availableNodes')
  if (!Array.isArray(sets) || typeof there !== 'number') return undefined
  const wanted = sets.reduce((sum: number, set) => sum + Number(valueAt(set, 'count') ?? 0), 0)
  const proof = ['status.availableNodes', there, `spec.nodeSets want ${wanted}`] as const
  if (there > wanted) return verdict(unknownElasticsearch[0], unknownElasticsearch[1], proof)
  if (there === wanted) return undefined
  return progressing(proof, `The desired amount of availableNodes is ${wanted} but the current amount is ${there}`)
}

function racksHealth(object: AnyObject): Verdict {
  const racks = valueAt(object, 'status.racks')
  if (typeof racks !== 'object' || racks === null)
    return progressing(['status.racks', undefined, 'not yet written'], 'Waiting for Cassandra Cluster')
  for (const [name, rack] of Object.entries(racks)) {
    const members = valueAt(rack, 'members')
    const ready = valueAt(rack, 'readyMembers')
    if (members !== undefined && ready !== undefined && members !== ready)
      return progressing([`status.racks.${name}.readyMembers`, ready, `of ${members}`], 'Waiting for Cassandra Cluster')
  }
  return verdict('Healthy', undefined, ['status.racks', Object.keys(racks).length, 'all members are ready'])
}

export const dataStoreTable: RuleTable = {
  'acid.zalan.do/postgresql': [
    {
      field: 'status.PostgresClusterStatus',
      values: { Running: ['Healthy', '{.}'], Creating: ['Progressing', '{.}'], Updating: ['Progressing', '{.}'] },
      otherwise: ['Degraded', '{.}'],
    },
    { answer: ['Progressing', 'Waiting for postgres cluster status...'] },
  ],
  'astra.netapp.io/AppVault': [
    { field: 'status.state', values: { available, Available: available, failed, Failed: failed } },
    { answer: ['Progressing', 'No status available'] },
  ],
  'astra.netapp.io/Application': [
    {
      conditions: {
        'Ready=True': ['Healthy', 'Astra Application Ready, protectionState: {status.protectionState}'],
        'Ready=False': ['Degraded', 'Astra Application Degraded, message: {.message}'],
      },
    },
    { answer: ['Progressing', 'No status available'] },
  ],
  'astra.netapp.io/Backup': astraJob,
  'astra.netapp.io/ExecHook': [
    { field: 'spec.enabled', values: { true: ['Healthy', '{kind} enabled'], false: ['Suspended', '{kind} disabled'] } },
    { answer: ['Progressing', 'No status available'] },
  ],
  'astra.netapp.io/ExecHooksRun': astraJob,
  'astra.netapp.io/ResourceBackup': astraJob,
  'astra.netapp.io/ResticVolumeBackup': astraJob,
  'astra.netapp.io/Schedule': [
    {
      answer: [
        'Healthy',
        'Protection policy lastScheduleTime: {status.lastScheduleTime}',
        'Protection policy not yet executed',
      ],
    },
  ],
  'astra.netapp.io/Snapshot': astraJob,
  'beat.k8s.elastic.co/Beat': [
    {
      field: 'status.health',
      values: {
        red: ['Degraded', 'Elastic Beat status is Red'],
        green: ['Healthy', 'Elastic Beat status is Green'],
        yellow: [
          'Progressing',
          'Elastic Beat status is deploying, there is {status.availableNodes} instance(s) on {status.expectedNodes} expected',
          'Elastic Beat phase is progressing',
        ],
      },
      otherwise: unknownBeat,
    },
    { when: [['status.expectedNodes', 'set']], answer: ['Progressing', 'Elastic Beat phase is progressing'] },
    { answer: unknownBeat },
  ],
  'cassandra.rook.io/Cluster': racksHealth,
  'cdi.kubevirt.io/DataVolume': [
    { field: 'status.phase', values: { Succeeded: ['Healthy', '{.}'], Paused: ['Suspended', '{.}'] } },
    { conditions: { 'Running=False(Error)': ['Degraded'] } },
    {
      field: 'status.phase',
      values: { Failed: ['Degraded', '{.}'], Unknown: ['Degraded', '{.}'] },
      otherwise: ['Progressing', '{.}'],
    },
    { answer: ['Progressing', 'No status available'] },
  ],
  'ceph.rook.io/CephCluster': [
    { when: [['status', 'unset']], answer: ['Progressing', 'Waiting for status to be reported'] },
    { decide: cephHealth },
  ],
  'ceph.rook.io/CephObjectStore': [
    {
      field: 'status.phase',
      values: { Ready: ['Healthy', ...storePhase], Failure: ['Degraded', ...storePhase] },
      otherwise: ['Progressing', ...storePhase],
    },
    {
      answer: [
        'Progressing',
        'Waiting for status to be reported - endpoint: {status.info.endpoint!}',
        'Waiting for status to be reported',
      ],
    },
  ],
  'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation': clickHouse('ClickHouseKeeper'),
  'clickhouse.altinity.com/ClickHouseInstallation': clickHouse('ClickHouse'),
  'db.atlasgo.io/AtlasMigration': atlas('status.conditions[type=Ready].reason', 'Reconciling'),
  'db.atlasgo.io/AtlasSchema': atlas('status.conditions[type=Ready].message', 'Reconciling', 'GettingDevDB'),
  'elasticsearch.k8s.elastic.co/Elasticsearch': [
    { when: [['status.availableNodes', 'unset']], answer: unknownElasticsearch },
    { decide: missingNodes },
    { when: [['status.health', 'unset']], answer: unknownElasticsearch },
    {
      field: 'status.phase',
      values: {
        ApplyingChanges: ['Progressing', 'Elasticsearch phase is ApplyingChanges'],
        MigratingData: ['Progressing', 'Elasticsearch phase is MigratingData'],
        Invalid: ['Degraded', 'Elasticsearch phase is Invalid'],
      },
    },
    { when: [['status.phase', 'not', 'Ready']], answer: unknownElasticsearch },
    {
      field: 'status.health',
      values: {
        green: ['Healthy', 'Elasticsearch Cluster status is Green'],
        yellow: ['Progressing', `Elasticsearch Cluster status is Yellow. ${checkIndices}`],
        red: ['Degraded', `Elasticsearch Cluster status is Red. ${checkIndices}`],
      },
      otherwise: unknownElasticsearch,
    },
  ],
}
