// What watches the others: Grafana, Prometheus, VictoriaMetrics, Jaeger, Kiali, Logstash, OpenTelemetry; and Istio's operator.

import { degraded, type HealthRule, healthy, progressing, type StatusCondition } from '../verdict.ts'
import { isBehind, type RuleTable } from './rule.ts'

interface Observed {
  readonly spec?: { readonly mode?: string }
  readonly status?: {
    readonly conditions?: readonly StatusCondition[]
    readonly scale?: { readonly statusReplicas?: string }
  }
}

/** Every condition must be True; the message tells all up to the first that is False. */
const grafanaPartHealth: HealthRule = (object) => {
  const conditions = ((object as Observed).status?.conditions ?? []).filter(({ status }) => status !== undefined)
  const failed = conditions.findIndex(({ status }) => status === 'False')
  const told = failed === -1 ? conditions : conditions.slice(0, failed + 1)
  const message = told.map(sentence).join(', ')
  const field = 'status.conditions'
  if (failed !== -1) return degraded([field, told.at(-1)?.type, 'is False'], message)
  return conditions.some(({ status }) => status === 'True')
    ? healthy([field, conditions.length, 'none is False'], message)
    : progressing([field, undefined, 'none is True'], message)
}

const sentence = ({ type, reason, message }: StatusCondition): string =>
  reason === undefined ? '' : `${reason} for ${type}${message === undefined ? '' : ` because ${message}`}`

const collectorHealth: HealthRule = (object) => {
  const { spec, status } = object as Observed
  const field = 'status.scale.statusReplicas'
  if (status === undefined)
    return progressing(['status', undefined, 'not observed yet'], 'Waiting for OpenTelemetry Collector status')
  const replicas = status.scale?.statusReplicas
  if (replicas === undefined)
    return spec?.mode === 'sidecar'
      ? healthy(['spec.mode', 'sidecar', 'has no replicas of its own'], 'Collector is running in sidecar mode')
      : progressing([field, undefined, 'not observed yet'], 'Scale status not available')
  const [, ready, total] = /(\d+)\/(\d+)/.exec(replicas)?.map(Number) ?? []
  const proof = (rule: string) => [field, replicas, rule] as const
  if (ready === undefined)
    return progressing(proof('not a number of replicas'), `Unable to parse replica status: ${replicas}`)
  if (ready === 0)
    return total === 0 && spec?.mode === 'daemonset'
      ? healthy(proof('no node takes it'), 'DaemonSet has no eligible nodes (0/0)')
      : degraded(proof('none is ready'), 'No replicas are ready')
  return ready === total
    ? healthy(proof('all are ready'), 'All replicas are ready')
    : progressing(proof('not all are ready'), 'Replicas are starting up')
}

const notReported = 'Waiting for the operator to reconcile'

export const monitoringTable: RuleTable = {
  'grafana-org-operator.kubitus-project.gitlab.io/_': [
    { conditions: { 'Ready=False': ['Degraded'], 'Ready=True': ['Healthy'], Ready: ['Progressing'] } },
    { answer: ['Progressing', 'Waiting ...'] },
  ],
  'grafana.integreatly.org/Grafana': [
    { when: [['status.stageStatus', 'unset']], answer: ['Progressing', 'Waiting for Grafana status info'] },
    { when: [['status.stageStatus', 'is', 'failed']], answer: ['Degraded', 'Failed at stage {status.stage}'] },
    {
      when: [
        ['status.stage', 'is', 'complete'],
        ['status.stageStatus', 'is', 'success'],
      ],
      answer: ['Healthy', ''],
    },
    { answer: ['Progressing', '{status.stage}'] },
  ],
  'grafana.integreatly.org/GrafanaDashboard': grafanaPartHealth,
  'grafana.integreatly.org/GrafanaFolder': grafanaPartHealth,
  'grafana.integreatly.org/GrafanaDatasource': [
    { when: [['status', 'unset']], answer: ['Progressing', ''] },
    { when: [['status.uid', 'is', '']], answer: ['Progressing', ''] },
    {
      when: [['status.NoMatchingInstances', 'is', true]],
      answer: ['Degraded', "can't find matching grafana instance"],
    },
    { answer: ['Healthy', ''] },
  ],
  'install.istio.io/IstioOperator': [
    {
      field: 'status.status',
      values: Object.fromEntries(
        (
          [
            ['NONE', 'Unknown', 'Component is not present.'],
            ['UPDATING', 'Progressing', 'Component is being updated to a different version.'],
            [
              'RECONCILING',
              'Progressing',
              'Controller has started but not yet completed reconciliation loop for the component.',
            ],
            ['HEALTHY', 'Healthy', 'Component is healthy.'],
            ['ERROR', 'Degraded', 'Component is in an error state.'],
          ] as const
        ).flatMap(([name, health, message], number) => [
          [name, [health, message]],
          [String(number), [health, message]],
        ]),
      ),
    },
    { answer: ['Progressing', 'Waiting for Istio Control Plane'] },
  ],
  'jaegertracing.io/Jaeger': [
    {
      field: 'status.phase',
      values: { Running: ['Healthy', 'Jaeger is Running'], Failed: ['Degraded', 'Jaeger Failed For Some Reason'] },
    },
    { answer: ['Progressing', 'Waiting for Jaeger'] },
  ],
  'kiali.io/Kiali': [
    {
      conditions: {
        'Successful=True': ['Healthy'],
        'Failure=True': ['Degraded'],
        'Running(Running)': ['Progressing'],
      },
    },
    { answer: ['Progressing', 'Waiting for Kiali'] },
  ],
  'logstash.k8s.elastic.co/Logstash': [
    {
      field: 'status.health',
      values: {
        green: ['Healthy', 'Logstash status is Green'],
        yellow: ['Progressing', 'Logstash status is Yellow'],
        red: ['Degraded', 'Logstash status is Red'],
      },
    },
    { answer: ['Progressing', 'Waiting for Logstash'] },
  ],
  'monitoring.coreos.com/Prometheus': [
    {
      conditions: {
        'Available=True': ['Healthy', 'All instances are available'],
        'Available(SomePodsNotReady)': ['Progressing', '{.message}', '{.reason}'],
        Available: ['Degraded', '{.message}', '{.reason}'],
      },
    },
    { answer: ['Progressing', 'Waiting for initialization'] },
  ],
  'opentelemetry.io/OpenTelemetryCollector': collectorHealth,
  'operator.victoriametrics.com/_': [
    { when: [['status', 'unset']], answer: ['Progressing', notReported] },
    { when: [['metadata.generation', 'set'], ...isBehind], answer: ['Progressing', notReported] },
    {
      field: 'status.updateStatus',
      values: {
        operational: ['Healthy', 'All components are operational'],
        expanding: ['Progressing', '{status.reason!}', 'Reconciliation in progress'],
        paused: ['Suspended', '{status.reason!}', 'Reconciliation is paused'],
        failed: ['Degraded', '{status.reason!}', 'Reconciliation failed'],
      },
    },
    { answer: ['Progressing', 'Waiting for the operator to report status'] },
  ],
}
