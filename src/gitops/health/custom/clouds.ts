// Health of resources that stand for something in a cloud: Config Connector, Crossplane and Upbound, AWS controllers.

import { isBehind, type Rule, type RuleTable } from './rule.ts'

const upToDate = 'Resource is up-to-date.'

/** Objects of these kinds are only read by the provider: it writes no status, or an empty one. */
const crossplane = (kindsWithoutStatus: readonly string[], readyTypes: readonly string[]): Rule => [
  { when: [['status', 'unset']], answer: ['Healthy', upToDate] },
  {
    when: [
      ['status', 'empty'],
      ['kind', 'is', ...kindsWithoutStatus],
    ],
    answer: ['Healthy', upToDate],
  },
  {
    when: [
      ['status.conditions', 'unset'],
      ['kind', 'is', 'ProviderConfig', 'ClusterProviderConfig'],
      ['status.users', 'set'],
    ],
    answer: ['Healthy', 'Resource is in use.'],
  },
  { conditions: { 'LastAsyncOperation=False': ['Degraded'], 'Synced=False': ['Degraded'] } },
  { conditions: Object.fromEntries(readyTypes.map((type) => [`${type}=True`, ['Healthy', upToDate]])) },
  { answer: ['Progressing', 'Provisioning ...'] },
]

const configConnector: Rule = [
  { when: isBehind, answer: ['Progressing', 'Update in progress'] },
  {
    when: [['kind', 'is', 'ConfigConnector', 'ConfigConnectorContext']],
    steps: [
      {
        field: 'status.healthy',
        values: { true: ['Healthy', '{kind} is healthy'] },
        otherwise: ['Degraded', '{kind} is not healthy'],
      },
    ],
  },
  {
    conditions: {
      '*=True(UpToDate)': ['Healthy'],
      '*(UpdateFailed|DependencyNotFound)': ['Degraded'],
      '*(DependencyNotReady)': ['Suspended'],
    },
  },
  { answer: ['Progressing', 'Update in progress'] },
]

export const cloudTable: RuleTable = {
  '_.cnrm.cloud.google.com/_': configConnector,
  '_.crossplane.io/_': crossplane(
    [
      'Composition',
      'CompositionRevision',
      'DeploymentRuntimeConfig',
      'ClusterProviderConfig',
      'ProviderConfig',
      'ProviderConfigUsage',
      'ControllerConfig',
    ],
    ['Ready', 'Healthy', 'Offered', 'Established', 'ValidPipeline', 'RevisionHealthy'],
  ),
  '_.upbound.io/_': crossplane(['ClusterProviderConfig', 'ProviderConfig', 'ProviderConfigUsage'], ['Ready']),
  '_.services.k8s.aws/_': [
    {
      conditions: { 'ACK.Terminal=True': ['Degraded'], 'Ready=False': ['Progressing'], 'Ready=True': ['Healthy', ''] },
    },
    { answer: ['Progressing', 'Waiting for resource to be ready'] },
  ],
}
