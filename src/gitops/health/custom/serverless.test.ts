// Knative, KServe and KEDA: several conditions make one verdict.

import { expect, test } from 'vitest'
import { having, told } from '../../../../test/support/custom-health.ts'

const eventing = 'operator.knative.dev/KnativeEventing'
const service = 'serving.knative.dev/Service'
const inference = 'serving.kserve.io/InferenceService'
const condition = (type: string, status: string, rest: object = {}) => ({ type, status, ...rest })
const routed = ['ConfigurationsReady', 'RoutesReady'].map((type) => condition(type, 'True'))

test.each([
  [eventing, {}, 'Progressing: Waiting for KnativeEventing'],
  [
    eventing,
    having(condition('Ready', 'True'), condition('InstallSucceeded', 'True')),
    'Healthy: KnativeEventing is healthy.',
  ],
  [
    eventing,
    having(condition('Ready', 'False'), condition('InstallSucceeded', 'True')),
    'Progressing: 1: Ready | False\n2: InstallSucceeded | True\n',
  ],
  [eventing, having(condition('InstallSucceeded', 'False')), 'Degraded: 1: InstallSucceeded | False\n'],
  [
    'operator.knative.dev/KnativeServing',
    having(condition('DeploymentsAvailable', 'False')),
    'Progressing: 1: DeploymentsAvailable | False\n',
  ],
  [service, having(condition('Ready', 'True'), ...routed), 'Healthy: Knative Service is healthy.'],
  [
    service,
    having(condition('Ready', 'False', { reason: 'NoImage', message: 'typo?' }), ...routed),
    'Degraded: Ready is False, since NoImage. typo?\n',
  ],
  [service, having(condition('Ready', 'Unknown'), ...routed), 'Progressing: Ready is Unknown\n'],
  [inference, {}, 'Progressing: Waiting for InferenceService to report status...'],
  [
    inference,
    having(condition('Ready', 'True'), condition('Stopped', 'False')),
    'Healthy: InferenceService is healthy.',
  ],
  [inference, having(condition('Stopped', 'True')), 'Suspended: InferenceService is Stopped'],
  [
    inference,
    having(condition('Ready', 'True'), condition('Routes', 'False', { reason: 'NoHost' })),
    'Progressing:  | 2: Routes | False | NoHost',
  ],
  [
    inference,
    { status: { modelStatus: { transitionStatus: 'InvalidSpec' }, conditions: [] } },
    'Degraded: 0: transitionStatus | InvalidSpec',
  ],
])('%s %j', (name, rest, expected) => {
  expect(told(name, rest)).toBe(expected)
})

test('KEDA: a fallback degrades what is ready, a pause suspends it', () => {
  const ready = condition('Ready', 'True', { message: 'defined' })
  const paused = condition('Paused', 'True', { message: 'paused by hand' })
  const fallback = condition('Fallback', 'True', { message: 'no metrics' })
  const scaled = (...conditions: readonly object[]) => told('keda.sh/ScaledObject', having(...conditions))
  expect(scaled(ready)).toBe('Healthy: defined')
  expect(scaled(ready, paused)).toBe('Suspended: paused by hand')
  expect(scaled(ready, fallback)).toBe('Degraded: no metrics')
  expect(scaled(condition('Ready', 'Unknown'))).toBe('Progressing: Creating HorizontalPodAutoscaler Object')
  expect(told('keda.sh/ScaledJob', having(condition('Ready', 'Unknown', { message: 'lost' })))).toBe('Degraded: lost')
})

test('OpenFaaS: a function without replicas is suspended, unless it failed', () => {
  const fn = (replicas: number, ...conditions: readonly object[]) =>
    told('openfaas.com/Function', { status: { replicas, conditions } })
  expect(fn(2, condition('Ready', 'True', { message: 'up' }))).toBe('Healthy: up')
  expect(fn(0, condition('Ready', 'True'))).toBe('Suspended: No replicas available')
  expect(fn(0, condition('Stalled', 'True', { message: 'no image' }))).toBe('Degraded: no image')
})
