// A Kafka cluster by its brokers; what is declared in RabbitMQ.

import { expect, test } from 'vitest'
import { told } from '../../../../test/support/custom-health.ts'

const broker = (configurationState: string, cruiseControlState: string) => ({
  configurationState,
  gracefulActionState: { cruiseControlState },
})
const settled = broker('ConfigInSync', 'GracefulUpscaleSucceeded')
const kafka = (status: object) => told('kafka.banzaicloud.io/KafkaCluster', { status })

test.each([
  [{}, 'Progressing: Waiting for KafkaCluster'],
  [{ state: 'ClusterRollingUpgrading' }, 'Progressing: Kafka Cluster is Rolling Upgrading.'],
  [
    { state: 'ClusterRunning', cruiseControlTopicStatus: 'CruiseControlTopicReady', brokersState: { 0: settled } },
    'Healthy: Kafka Brokers, CruiseControl and cluster are in Healthy State.',
  ],
  [{ state: 'ClusterReconciling', brokersState: { 0: settled } }, 'Progressing: Kafka Cluster is Reconciling.'],
  [
    { state: 'ClusterRunning', brokersState: { 0: settled, 1: broker('ConfigInSync', 'GracefulUpscaleRunning') } },
    'Degraded: Broker Config is out of Sync or CruiseControlState is not Ready',
  ],
])('KafkaCluster %j', (status, expected) => {
  expect(kafka(status)).toBe(expected)
})

test.each([
  [
    'rabbitmq.com/Queue',
    { type: 'Ready', status: 'True', reason: 'SuccessfulCreateOrUpdate' },
    'Healthy: RabbitMQ queue ready',
  ],
  [
    'rabbitmq.com/Queue',
    { type: 'Ready', status: 'True', reason: 'Other' },
    'Unknown: RabbitMQ queue status is unknown',
  ],
  [
    'kafka.strimzi.io/Kafka',
    { type: 'NotReady', status: 'True', reason: 'Creating' },
    'Progressing: Waiting for Kafka Cluster',
  ],
  ['kafka.strimzi.io/KafkaTopic', { type: 'NotReady', status: 'True', message: 'no quorum' }, 'Degraded: no quorum'],
])('%s %j', (name, condition, expected) => {
  expect(told(name, { status: { conditions: [condition] } })).toBe(expected)
})
