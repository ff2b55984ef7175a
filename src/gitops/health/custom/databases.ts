// Databases and what is declared in them: MariaDB, PostgreSQL, MongoDB, Percona's clusters, Solr, ZooKeeper.

import { type HealthRule, type HealthStatus, healthy, progressing } from '../verdict.ts'
import type { Answer, Rule, RuleTable } from './rule.ts'

const lastMessage = '{status.conditions[-1].message}'
const lastReason = '{status.conditions[-1].reason}'
const unknownYet: Answer = ['Progressing', 'No status info available']

/** In order: the first condition that is False decides. */
const mariadbServer: Rule = [
  { conditions: { '*=False(Failed)': ['Degraded'], '*=False': ['Progressing'] } },
  { when: [['status.conditions', 'set']], answer: ['Healthy', lastMessage] },
  { answer: unknownYet },
]

/** Something that a server holds. */
const mariadbPart: Rule = [
  { conditions: { 'Ready=True': ['Healthy'], Ready: ['Degraded'] } },
  { answer: ['Progressing', lastMessage, 'No status info available'] },
]

const reasonAndMessage = '{.reason} {.message}'

const mariadbBackup: Rule = [
  {
    conditions: {
      '*=False(CronJobScheduled)"Failed"': ['Degraded', reasonAndMessage],
      '*=False': ['Progressing', reasonAndMessage],
    },
  },
  { when: [['status.conditions', 'set']], answer: ['Healthy', `${lastReason} ${lastMessage}`] },
  { answer: unknownYet },
]

const mariadbJob: Rule = [
  {
    conditions: {
      '*=True(JobComplete)': ['Healthy', reasonAndMessage],
      '*=True(JobFailed)': ['Degraded', reasonAndMessage],
    },
  },
  { answer: ['Progressing', `${lastReason} ${lastMessage}`, 'No status info available'] },
]

const nodes = '{status.ready}/{status.size} node(s) are ready'

/** While some of these last, nobody can write; others wait for a human. */
const cnpgPhases: readonly (readonly [HealthStatus, readonly string[]])[] = [
  ['Healthy', ['Cluster in healthy state']],
  [
    'Progressing',
    [
      'Setting up primary',
      'Creating a new replica',
      'Upgrading cluster',
      'Waiting for the instances to become active',
      'Promoting to primary cluster',
    ],
  ],
  [
    'Degraded',
    [
      'Switchover in progress',
      'Failing over',
      'Upgrading Postgres major version',
      'Cluster upgrade delayed',
      'Waiting for user action',
      'Primary instance is being restarted in-place',
      'Primary instance is being restarted without a switchover',
      'Cluster cannot execute instance online upgrade due to missing architecture binary',
      'Online upgrade in progress',
      'Applying configuration',
    ],
  ],
  [
    'Suspended',
    [
      'Unable to create required cluster objects',
      'Cluster cannot proceed to reconciliation due to an unknown plugin being required',
      'Cluster has incomplete or invalid image catalog',
      'Cluster is unrecoverable and needs manual intervention',
    ],
  ],
]

const phaseReason = '{status.phaseReason}'

const cnpgCluster: Rule = [
  {
    when: [['metadata.annotations["cnpg.io/reconciliationLoop"]', 'is', 'disabled']],
    answer: ['Suspended', 'Cluster reconciliation is suspended'],
  },
  { conditions: { 'cnpg.io/hibernation=True': ['Suspended'], 'cnpg.io/hibernation': ['Degraded'] } },
  { when: [['status.conditions', 'unset']], answer: ['Progressing', phaseReason] },
  {
    field: 'status.phase',
    values: Object.fromEntries(
      cnpgPhases.flatMap(([health, phases]) => phases.map((phase) => [phase, [health, phaseReason]])),
    ),
  },
  { answer: ['Unknown', phaseReason] },
]

const solrHealth: HealthRule = (object) => {
  const { solrNodes } = (object['status'] ?? {}) as { readonly solrNodes?: readonly { readonly ready?: boolean }[] }
  const field = 'status.solrNodes'
  if (solrNodes === undefined) return progressing([field, undefined, 'not observed yet'], 'Waiting for solr to exist')
  const absent = solrNodes.filter(({ ready }) => ready !== true).length
  return absent > 0
    ? progressing([field, absent, 'not ready'], 'Not all replicas are ready')
    : healthy([field, solrNodes.length, 'all ready'], 'Solr is ready')
}

export const databaseTable: RuleTable = {
  'k8s.mariadb.com/Backup': mariadbBackup,
  'k8s.mariadb.com/Database': mariadbPart,
  'k8s.mariadb.com/Grant': mariadbPart,
  'k8s.mariadb.com/User': mariadbPart,
  'k8s.mariadb.com/SqlJob': mariadbJob,
  'k8s.mariadb.com/MariaDB': mariadbServer,
  'mariadb.mmontes.io/MariaDB': mariadbServer,
  'postgresql.cnpg.io/Cluster': cnpgCluster,
  'psmdb.percona.com/PerconaServerMongoDB': [
    { when: [['status', 'unset']], answer: ['Unknown', 'Cluster status is unknown'] },
    {
      field: 'status.state',
      values: {
        initializing: ['Progressing', nodes],
        ready: ['Healthy', nodes],
        error: ['Degraded', nodes],
        stopping: ['Progressing', nodes],
        paused: ['Suspended', nodes],
      },
    },
    { answer: ['Unknown', nodes] },
  ],
  'pxc.percona.com/PerconaXtraDBCluster': [
    {
      field: 'status.state',
      values: {
        initializing: ['Progressing', nodes],
        ready: ['Healthy', nodes],
        paused: ['Unknown', 'Cluster is paused'],
        stopping: ['Degraded', `Cluster is stopping (${nodes})`],
        error: ['Degraded', 'Cluster is on error: {status.message}'],
      },
    },
    {
      answer: [
        'Unknown',
        'Cluster status is unknown. Ensure your ArgoCD is current and then check for/file a bug report: https://github.com/argoproj/argo-cd/issues',
      ],
    },
  ],
  'solr.apache.org/SolrCloud': solrHealth,
  'zookeeper.pravega.io/ZookeeperCluster': [
    {
      when: [
        ['status.readyReplicas', 'atLeast', 1],
        ['status.readyReplicas', 'same', 'status.replicas'],
      ],
      answer: ['Healthy', 'All ZK Nodes have joined the ensemble'],
    },
    { answer: ['Progressing', 'Waiting for ZK Nodes to join the ensemble'] },
  ],
}
