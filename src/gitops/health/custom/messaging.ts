// Brokers and what is declared in them: Kafka by Strimzi, Banzai Cloud and Confluent, RabbitMQ.

import { degraded, type HealthRule, healthy, progressing } from '../verdict.ts'
import type { Rule, RuleTable } from './rule.ts'

const strimzi = (noun: string): Rule => [
  { conditions: { 'NotReady=True': ['Degraded'], 'Ready=True': ['Healthy', ''] } },
  { answer: ['Progressing', `Waiting for ${noun}`] },
]

const confluent = (kind: string): Rule => [
  {
    field: 'status.phase',
    values: { RUNNING: ['Healthy', `${kind} running`], PROVISIONING: ['Progressing', `${kind} provisioning`] },
  },
  { answer: ['Progressing', `Waiting for ${kind}`] },
]

const declared = (noun: string): Rule => [
  {
    conditions: {
      'Ready=True(SuccessfulCreateOrUpdate)': ['Healthy', `RabbitMQ ${noun} ready`],
      'Ready=False(FailedCreateOrUpdate)': ['Degraded', `RabbitMQ ${noun} failed to be created or updated`],
    },
  },
  { answer: ['Unknown', `RabbitMQ ${noun} status is unknown`] },
]

interface Banzai {
  readonly status?: {
    readonly state?: string
    readonly cruiseControlTopicStatus?: string
    readonly brokersState?: Readonly<Record<string, Broker>>
  }
}

interface Broker {
  readonly configurationState?: string
  readonly gracefulActionState?: { readonly cruiseControlState?: string }
}

const isSettled = ({ configurationState, gracefulActionState }: Broker): boolean =>
  configurationState === 'ConfigInSync' &&
  ['GracefulUpscaleSucceeded', 'GracefulDownscaleSucceeded'].includes(gracefulActionState?.cruiseControlState ?? '')

const banzaiHealth: HealthRule = (object) => {
  const { state, brokersState, cruiseControlTopicStatus: topic } = (object as Banzai).status ?? {}
  const proof = (rule: string) => ['status.state', state, rule] as const
  if (state === 'ClusterRollingUpgrading')
    return progressing(proof('upgrades its brokers'), 'Kafka Cluster is Rolling Upgrading.')
  const waiting = progressing(proof('neither running nor failed'), 'Waiting for KafkaCluster')
  if (brokersState === undefined) return waiting
  const unsettled = Object.keys(brokersState).filter((id) => !isSettled(brokersState[id] ?? {}))
  if (unsettled.length > 0)
    return degraded(
      ['status.brokersState', unsettled, 'not in sync, or not settled after scaling'],
      'Broker Config is out of Sync or CruiseControlState is not Ready',
    )
  if (topic === 'CruiseControlTopicReady' && state === 'ClusterRunning')
    return healthy(proof('runs'), 'Kafka Brokers, CruiseControl and cluster are in Healthy State.')
  const isTopicMissing = topic === undefined || topic === 'CruiseControlTopicNotReady'
  return isTopicMissing && state === 'ClusterReconciling'
    ? progressing(proof('reconciles'), 'Kafka Cluster is Reconciling.')
    : waiting
}

export const messagingTable: RuleTable = {
  'kafka.strimzi.io/Kafka': [
    { conditions: { 'NotReady=True(!Creating)': ['Degraded'], 'Ready=True': ['Healthy', ''] } },
    { answer: ['Progressing', 'Waiting for Kafka Cluster'] },
  ],
  'kafka.strimzi.io/KafkaBridge': strimzi('KafkaBridge'),
  'kafka.strimzi.io/KafkaConnect': strimzi('Kafka Connect'),
  'kafka.strimzi.io/KafkaConnector': strimzi('KafkaConnector'),
  'kafka.strimzi.io/KafkaTopic': strimzi('Kafka Topic'),
  'kafka.strimzi.io/KafkaUser': strimzi('Kafka User'),
  'kafka.banzaicloud.io/KafkaCluster': banzaiHealth,
  ...Object.fromEntries(
    ['Connect', 'ControlCenter', 'Kafka', 'KsqlDB', 'SchemaRegistry', 'Zookeeper'].map((kind) => [
      `platform.confluent.io/${kind}`,
      confluent(kind),
    ]),
  ),
  'platform.confluent.io/Connector': [
    {
      when: [
        ['status.connectorState', 'is', 'RUNNING'],
        ['status.failedTasksCount', 'unset'],
        ['status.state', 'is', 'CREATED'],
      ],
      answer: ['Healthy', 'Connector running'],
    },
    {
      when: [['status.state', 'is', 'ERROR']],
      answer: ['Degraded', '{status.conditions[0].message}', 'No conditions available'],
    },
    {
      when: [
        ['status.state', 'set'],
        ['status.failedTasksCount', 'atLeast', 1],
      ],
      answer: ['Degraded', 'Connector has failed tasks'],
    },
    { answer: ['Progressing', 'Waiting for Kafka Connector'] },
  ],
  'rabbitmq.com/RabbitmqCluster': [
    { conditions: { 'ReconcileSuccess=False': ['Degraded'] } },
    {
      conditions: {
        'ClusterAvailable=Unknown': ['Progressing', 'Waiting for RabbitMQ cluster readiness (conditions unknown)'],
        'AllReplicasReady=Unknown': ['Progressing', 'Waiting for RabbitMQ cluster readiness (conditions unknown)'],
      },
    },
    { conditions: { 'ClusterAvailable=False': ['Progressing', 'Waiting for RabbitMQ cluster formation'] } },
    { conditions: { 'AllReplicasReady=False': ['Progressing', 'Waiting for RabbitMQ instances ready'] } },
    {
      when: [
        ['status.conditions', 'has', 'ClusterAvailable=True'],
        ['status.conditions', 'has', 'AllReplicasReady=True'],
      ],
      answer: ['Healthy', 'RabbitMQ cluster ready'],
    },
    { answer: ['Progressing', 'Waiting for RabbitMQ Operator'] },
  ],
  ...Object.fromEntries(
    ['Binding', 'Exchange', 'Permission', 'Policy', 'Queue', 'Shovel', 'User', 'Vhost'].map((kind) => [
      `rabbitmq.com/${kind}`,
      declared(kind.toLowerCase()),
    ]),
  ),
}
