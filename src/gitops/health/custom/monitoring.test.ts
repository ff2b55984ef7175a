// Dashboards, collectors and components of VictoriaMetrics; a state by name or number.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const dashboard = 'grafana.integreatly.org/GrafanaDashboard'
const collector = 'opentelemetry.io/OpenTelemetryCollector'
const agent = 'operator.victoriametrics.com/VMAgent'
const scaled = (statusReplicas: string, mode = 'deployment') => ({
  spec: { mode },
  status: { scale: { statusReplicas } },
})
const synced = { type: 'Synced', status: 'True', reason: 'Applied' }
const failed = { type: 'Folder', status: 'False', reason: 'Missing', message: 'no folder' }

test.each([
  [dashboard, {}, 'Progressing: '],
  [dashboard, having(synced), 'Healthy: Applied for Synced'],
  [dashboard, having(synced, failed, synced), 'Degraded: Applied for Synced, Missing for Folder because no folder'],
  [collector, {}, 'Progressing: Waiting for OpenTelemetry Collector status'],
  [collector, { spec: { mode: 'sidecar' }, status: {} }, 'Healthy: Collector is running in sidecar mode'],
  [collector, scaled('2/2'), 'Healthy: All replicas are ready'],
  [collector, scaled('1/2'), 'Progressing: Replicas are starting up'],
  [collector, scaled('0/2'), 'Degraded: No replicas are ready'],
  [collector, scaled('0/0', 'daemonset'), 'Healthy: DaemonSet has no eligible nodes (0/0)'],
  [collector, scaled('many'), 'Progressing: Unable to parse replica status: many'],
  [
    agent,
    { status: { observedGeneration: 1, updateStatus: 'operational' } },
    'Progressing: Waiting for the operator to reconcile',
  ],
  [agent, { status: { updateStatus: 'failed', reason: '' } }, 'Degraded: Reconciliation failed'],
  [agent, { status: { updateStatus: 'failed', reason: 'no disk' } }, 'Degraded: no disk'],
  ['install.istio.io/IstioOperator', { status: { status: 3 } }, 'Healthy: Component is healthy.'],
  ['install.istio.io/IstioOperator', { status: { status: 'ERROR' } }, 'Degraded: Component is in an error state.'],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})
