// Databases by phase, by the last condition and by their nodes.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const server = 'k8s.mariadb.com/MariaDB'
const cluster = 'postgresql.cnpg.io/Cluster'
const solr = 'solr.apache.org/SolrCloud'

test.each([
  [server, {}, 'Progressing: No status info available'],
  [
    server,
    having({ type: 'A', status: 'True', message: 'a' }, { type: 'B', status: 'True', message: 'b' }),
    'Healthy: b',
  ],
  [server, having({ type: 'A', status: 'False', reason: 'Failed', message: 'a' }), 'Degraded: a'],
  ['k8s.mariadb.com/Grant', having({ type: 'Other', status: 'True', message: 'soon' }), 'Progressing: soon'],
  [
    'k8s.mariadb.com/Backup',
    having({ type: 'Complete', status: 'False', reason: 'CronJobScheduled', message: 'Failed' }),
    'Degraded: CronJobScheduled Failed',
  ],
  [
    'k8s.mariadb.com/Backup',
    having({ type: 'Complete', status: 'False', reason: 'CronJobScheduled', message: 'Scheduled' }),
    'Progressing: CronJobScheduled Scheduled',
  ],
  [cluster, { status: { phaseReason: 'first' } }, 'Progressing: first'],
  [cluster, { status: { conditions: [], phase: 'Failing over', phaseReason: 'lost' } }, 'Degraded: lost'],
  [cluster, { status: { conditions: [], phase: 'Dancing', phaseReason: 'odd' } }, 'Unknown: odd'],
  [cluster, having({ type: 'cnpg.io/hibernation', status: 'True', message: 'asleep' }), 'Suspended: asleep'],
  [
    'pxc.percona.com/PerconaXtraDBCluster',
    { status: { state: 'error', message: ['a', 'b'] } },
    'Degraded: Cluster is on error: a, b',
  ],
  [
    'psmdb.percona.com/PerconaServerMongoDB',
    { status: { state: 'ready', ready: 2, size: 3 } },
    'Healthy: 2/3 node(s) are ready',
  ],
  [solr, {}, 'Progressing: Waiting for solr to exist'],
  [solr, { status: { solrNodes: [{ ready: true }, {}] } }, 'Progressing: Not all replicas are ready'],
  [solr, { status: { solrNodes: [{ ready: true }] } }, 'Healthy: Solr is ready'],
  ['zookeeper.pravega.io/ZookeeperCluster', { status: {} }, 'Progressing: Waiting for ZK Nodes to join the ensemble'],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})
