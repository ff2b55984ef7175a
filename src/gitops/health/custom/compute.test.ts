// Spark applications by their executors; virtual machines by phase and condition.

import { expect, test } from 'vitest'
import { told } from '../../../../test/support/custom-health.ts'

const running = (spec: object, executors: number) => {
  const executorState = Object.fromEntries(
    Array.from({ length: executors }, (_, index) => [`exec-${index}`, 'RUNNING']),
  )
  return told('sparkoperator.k8s.io/SparkApplication', {
    spec,
    status: { applicationState: { state: 'RUNNING' }, executorState: { ...executorState, lost: 'FAILED' } },
  })
}
const fixed = { executor: { instances: 2 } }
const ranged = { executor: {}, dynamicAllocation: { enabled: true, minExecutors: 2, maxExecutors: 3 } }
const configured = {
  sparkConf: { 'spark.dynamicAllocation.enabled': 'true', 'spark.dynamicAllocation.maxExecutors': '1' },
}

test.each([
  [fixed, 2, 'Healthy: SparkApplication is Running'],
  [fixed, 1, 'Progressing: Waiting for Executor pods'],
  [ranged, 1, 'Progressing: Waiting for Executor pods'],
  [ranged, 3, 'Healthy: SparkApplication is Running'],
  [configured, 0, 'Healthy: SparkApplication is Running'],
  [configured, 2, 'Progressing: Waiting for Executor pods'],
  [{ executor: {} }, 1, 'Healthy: SparkApplication is Running'],
  [{ executor: {} }, 0, 'Progressing: Waiting for Executor pods'],
])('Spark %j with %d executors', (spec, executors, expected) => {
  expect(running(spec, executors)).toBe(expected)
})

test.each([
  ['kubevirt.io/VirtualMachine', {}, 'Progressing: No status available'],
  ['kubevirt.io/VirtualMachine', { conditions: [{ type: 'Ready', status: 'False' }] }, 'Suspended: Stopped'],
  [
    'kubevirt.io/VirtualMachine',
    { created: true, printableStatus: 'Migrating', conditions: [{ type: 'Ready', status: 'False' }] },
    'Progressing: Migrating',
  ],
  [
    'kubevirt.io/VirtualMachine',
    {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Paused', status: 'True' },
      ],
    },
    'Suspended: Paused',
  ],
  ['kubevirt.io/VirtualMachineInstance', { phase: 'Scheduling' }, 'Progressing: Scheduling'],
  [
    'kubevirt.io/VirtualMachineInstance',
    { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    'Healthy: Running',
  ],
  [
    'sparkoperator.k8s.io/SparkApplication',
    { applicationState: { state: 'FAILING', errorMessage: 'oom' } },
    'Degraded: oom',
  ],
])('%s %j', (name, status, expected) => {
  expect(told(name, { status })).toBe(expected)
})
