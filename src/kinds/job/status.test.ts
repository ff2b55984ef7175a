import { describe, expect, it } from 'vitest'
import type { Job } from '../generated/types.ts'
import { validateJobStatus } from './status.ts'

type Status = NonNullable<Job['status']>

const startTime = '2024-01-01T00:00:00Z'
const completionTime = '2024-01-01T00:01:00Z'
const condition = (type: string) => ({ type, status: 'True' })
const complete = { startTime, completionTime, conditions: [condition('Complete'), condition('SuccessCriteriaMet')] }

function faults(now: object, before: object = { startTime }, spec: object = {}): readonly string[] {
  const job = (status: object) =>
    ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { completions: 2, parallelism: 1, ...spec },
      status: status as Status,
    }) as unknown as Job
  return validateJobStatus(job(now), job(before)).map(({ field, message }) => `${field}: ${message}`)
}

describe('the status of a job', () => {
  it('may say that it is complete', () => {
    expect(faults(complete)).toEqual([])
  })

  it.each<[string, object, object, object, string]>([
    [
      'no completion without its criteria',
      { ...complete, conditions: [condition('Complete')] },
      { startTime },
      {},
      'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ],
    [
      'no failure without its cause',
      { startTime, conditions: [condition('Failed')] },
      { startTime },
      {},
      'status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition',
    ],
    [
      'no completion without a time',
      { startTime, conditions: complete.conditions },
      { startTime },
      {},
      'status.completionTime: Required value: completionTime is required for Complete jobs',
    ],
    [
      'no completion time before the end',
      { startTime, completionTime },
      { startTime },
      {},
      `status.completionTime: Invalid value: "${completionTime}": cannot set completionTime when there is no Complete=True condition`,
    ],
    [
      'no running pods in the end',
      { ...complete, active: 1 },
      { startTime, active: 1 },
      {},
      'status.active: Invalid value: 1: active>0 is invalid for finished job',
    ],
    [
      'no return from the end',
      { startTime, completionTime },
      { ...complete, completionTime },
      {},
      'status.conditions: Invalid value: cannot disable the terminal Complete=True condition',
    ],
    [
      'no fewer failures',
      { startTime, failed: 1 },
      { startTime, failed: 2 },
      {},
      'status.failed: Invalid value: 1: cannot decrease the failed counter',
    ],
    [
      'no lost start',
      {},
      { startTime },
      {},
      'status.startTime: Required value: startTime cannot be removed for unsuspended job',
    ],
    [
      'no more ready than active pods',
      { startTime, ready: 2, active: 1 },
      { startTime },
      {},
      'status.ready: Invalid value: 2: cannot set more ready pods than active',
    ],
    [
      'no indexes of a plain job',
      { startTime, completedIndexes: '0' },
      { startTime },
      {},
      'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
    ],
    [
      'no index that failed and did not',
      { startTime, completedIndexes: '0-1', failedIndexes: '1' },
      { startTime },
      { completionMode: 'Indexed', backoffLimitPerIndex: 1 },
      'status.failedIndexes: Invalid value: "1": failedIndexes and completedIndexes overlap at index: 1',
    ],
    [
      'no pod twice',
      { startTime, uncountedTerminatedPods: { succeeded: ['a'], failed: ['a'] } },
      { startTime },
      {},
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ])('has %s', (_, now, before, spec, expected) => {
    expect(faults(now, before, spec)).toContain(expected)
  })

  it('lets a Job that goes on begin anew', () => {
    const later = { startTime: '2024-01-01T01:00:00Z' }
    const suspended = { startTime, conditions: [condition('Suspended')] }
    expect(faults(later, suspended)).toEqual([])
    expect(faults({ ...later, ...suspended, startTime: later.startTime }, suspended)).toHaveLength(1)
  })
})
