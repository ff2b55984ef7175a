// Health of logs, alerts and metrics kept in services elsewhere: Coralogix, Humio, Datadog.

import type { Answer, Rule, RuleTable } from './rule.ts'

const coralogix: Rule = [
  { conditions: { 'RemoteSynced=True': ['Healthy', 'Resource is ready'], 'RemoteSynced=False': ['Degraded'] } },
  { answer: ['Progressing', 'Waiting for status to be updated'] },
]

/** Whether what the object describes is there in Humio. */
const humio: Rule = [
  {
    field: 'status.state',
    values: {
      Exists: ['Healthy', 'Component state: Exists.'],
      NotFound: ['Missing', 'Component state: NotFound.'],
      ConfigError: ['Degraded', 'Component state: ConfigError.'],
      Unknown: ['Unknown', 'Component state: Unknown.'],
    },
  },
  { answer: ['Progressing', 'Update in progress'] },
]

/** The operator's own message, or what the state means. */
const said = (health: Answer[0], meaning: string): Answer => [health, '{status.message}', meaning]

export const observabilityTable: RuleTable = {
  'coralogix.com/Alert': coralogix,
  'coralogix.com/RecordingRuleGroupSet': coralogix,
  'core.humio.com/HumioAction': humio,
  'core.humio.com/HumioAlert': humio,
  'core.humio.com/HumioIngestToken': humio,
  'core.humio.com/HumioParser': humio,
  'core.humio.com/HumioRepository': humio,
  'core.humio.com/HumioView': humio,
  'core.humio.com/HumioCluster': [
    {
      field: 'status.state',
      values: {
        Running: said('Healthy', 'Cluster is in a healthy running state'),
        Restarting: said('Progressing', 'Cluster pods are being restarted'),
        Upgrading: said('Progressing', 'Cluster pods are being upgraded'),
        Pending: said('Progressing', 'Cluster is waiting on resources to be provisioned'),
        ConfigError: said('Degraded', 'User-provided cluster specification resulted in a configuration error'),
        Unknown: said('Unknown', 'Component state: Unknown.'),
      },
    },
    { answer: ['Progressing', 'Update in progress'] },
  ],
  'datadoghq.com/DatadogMetric': [
    {
      conditions: {
        'Error=True': [
          'Degraded',
          '{.reason!}: {.message}',
          '{.reason!}: DatadogMetric reported an error',
          '{.message}',
          'DatadogMetric reported an error',
        ],
      },
    },
    { conditions: { 'Valid=False': ['Degraded', '{.message}', 'DatadogMetric is not valid'] } },
    { answer: ['Healthy', 'DatadogMetric is healthy'] },
  ],
}
