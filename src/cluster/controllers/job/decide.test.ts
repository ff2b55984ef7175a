import { describe, expect, it } from 'vitest'
import type { Job, JobSpec, JobStatus, Pod } from '#kinds'
import { assess } from './assess.ts'
import { type Failures, failuresAfter } from './backoff.ts'
import { completionsReached } from './conditions.ts'
import { decideJob } from './decide.ts'
import { indexAnnotation, trackingFinalizer } from './pods.ts'
import { decideFinal, decideInterim, trackedUids } from './tracking.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

const job = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work', namespace: 'default', uid: 'j' },
  spec: {
    completions: 1,
    parallelism: 1,
    backoffLimit: 6,
    template: { spec: { containers: [], restartPolicy: 'Never' } },
    ...spec,
  },
  status: { startTime: '2026-01-01T00:00:00Z', ...status },
})

interface Traits {
  readonly index?: number
  readonly exitCode?: number
  readonly tracked?: boolean
  readonly endedAgoSeconds?: number
  readonly failuresBefore?: number
}

function pod(name: string, phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed', traits: Traits = {}): Pod {
  const { index, exitCode = phase === 'Failed' ? 1 : 0, tracked = true, endedAgoSeconds = 3000 } = traits
  const finishedAt = new Date(now - endedAgoSeconds * 1000).toISOString()
  const ended = phase === 'Succeeded' || phase === 'Failed'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      ...(tracked ? { finalizers: [trackingFinalizer] } : {}),
      annotations: {
        ...(index === undefined ? {} : { [indexAnnotation]: String(index) }),
        ...(traits.failuresBefore === undefined
          ? {}
          : { 'batch.kubernetes.io/job-index-failure-count': String(traits.failuresBefore) }),
      },
    },
    spec: { containers: [] },
    status: {
      phase,
      containerStatuses: ended
        ? [
            {
              name: 'app',
              image: '',
              imageID: '',
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode, finishedAt } },
            },
          ]
        : [],
    },
  }
}

const decide = (of: Job, pods: readonly Pod[]) => decideJob(assess(of, pods, { now }), now)

describe('which pods a Job runs', () => {
  it.each<readonly [string, Job, readonly Pod[], object]>([
    ['as many as may run at once', job({ completions: 5, parallelism: 2 }), [], { type: 'create', count: 2 }],
    [
      'no more than are still missing',
      job({ completions: 3, parallelism: 3 }),
      [pod('a', 'Succeeded')],
      { type: 'create', count: 2 },
    ],
    ['none when it is suspended', job({ suspend: true }), [], { type: 'nothing' }],
    ['none when parallelism is 0', job({ parallelism: 0 }), [], { type: 'nothing' }],
    [
      'no new ones after a success without completions',
      { ...job(), spec: { ...job().spec, parallelism: 2, completions: undefined as never } },
      [pod('a', 'Succeeded'), pod('b', 'Running')],
      { type: 'nothing' },
    ],
    [
      'the first free indexes',
      job({ completions: 4, parallelism: 2, completionMode: 'Indexed' }),
      [pod('a', 'Succeeded', { index: 0 }), pod('b', 'Running', { index: 1 })],
      { type: 'create', count: 1, indexes: [2] },
    ],
  ])('%s', (_, of, pods, step) => {
    expect(decide(of, pods)).toEqual(step)
  })

  it('waits 10 s after a failure, doubling with each', () => {
    const failed = (name: string, endedAgoSeconds: number) => pod(name, 'Failed', { endedAgoSeconds })
    expect(decide(job(), [failed('a', 4)])).toEqual({ type: 'wait', until: now + 6000 })
    expect(decide(job(), [failed('a', 30), failed('b', 4)])).toEqual({ type: 'wait', until: now + 16_000 })
    expect(decide(job(), [failed('a', 30)])).toEqual({ type: 'create', count: 1 })
  })

  it('deletes pods that are too many, and pods that share an index', () => {
    const two = [pod('a', 'Running'), pod('b', 'Pending')]
    expect(decide(job({ completions: 4, parallelism: 1 }), two)).toMatchObject({
      type: 'delete',
      release: true,
      pods: [two[1]],
    })
    const twins = [pod('a', 'Running', { index: 0 }), pod('b', 'Pending', { index: 0 })]
    expect(decide(job({ completions: 2, parallelism: 2, completionMode: 'Indexed' }), twins)).toMatchObject({
      pods: [twins[1]],
    })
  })
})

describe('failures since the last success', () => {
  const ended = (phase: 'Succeeded' | 'Failed', ...ago: readonly number[]) =>
    ago.map((endedAgoSeconds, i) => pod(`${phase}${i}`, phase, { endedAgoSeconds }))
  const failed = (...ago: readonly number[]) => ended('Failed', ...ago)
  const succeeded = (...ago: readonly number[]) => ended('Succeeded', ...ago)
  const none = { succeeded: [], failed: [] }
  const before = { count: 2, lastAt: now - 60_000 }
  it.each<readonly [string, Parameters<typeof failuresAfter>, Failures]>([
    ['none', [undefined, none, none], { count: 0, lastAt: 0 }],
    ['those remembered', [before, none, none], before],
    ['with new ones', [before, none, { ...none, failed: failed(9, 4) }], { count: 4, lastAt: now - 4000 }],
    ['not those counted before', [before, { ...none, failed: failed(9) }, none], before],
    ['but for a restart', [undefined, { ...none, failed: failed(9, 7) }, none], { count: 2, lastAt: now - 7000 }],
    ['a success ends them', [before, none, { ...none, succeeded: succeeded(4) }], { count: 0, lastAt: 0 }],
    [
      'but for those after it',
      [before, none, { succeeded: succeeded(5), failed: failed(9, 3) }],
      { count: 1, lastAt: now - 3000 },
    ],
  ])('%s', (_, [remembered, counted, fresh], failures) => {
    expect(failuresAfter(remembered, counted, fresh)).toEqual(failures)
  })
})

describe('what ends a Job', () => {
  const indexed = { completionMode: 'Indexed', completions: 2, parallelism: 2 } as const
  it.each<readonly [string, Job, readonly Pod[], string]>([
    ['too many failures', job({ backoffLimit: 1 }), [pod('a', 'Failed'), pod('b', 'Failed')], 'BackoffLimitExceeded'],
    ['the deadline', job({ activeDeadlineSeconds: 60 }), [pod('a', 'Running')], 'DeadlineExceeded'],
    [
      'failed indexes',
      job({ ...indexed, backoffLimitPerIndex: 0 }),
      [pod('a', 'Failed', { index: 0 }), pod('b', 'Succeeded', { index: 1 })],
      'FailedIndexes',
    ],
    [
      'the failure policy',
      job({ podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] } }),
      [pod('a', 'Failed', { exitCode: 42 })],
      'PodFailurePolicy',
    ],
    [
      'the success policy',
      job({ ...indexed, successPolicy: { rules: [{ succeededCount: 1 }] } }),
      [pod('a', 'Succeeded', { index: 0 })],
      'SuccessPolicy',
    ],
    [
      'the success policy of a Job that has shrunk',
      job({ ...indexed, successPolicy: { rules: [{ succeededIndexes: '1-3', succeededCount: 2 }] } }),
      [pod('a', 'Succeeded', { index: 1 })],
      'SuccessPolicy',
    ],
  ])('%s', (_, of, pods, reason) => {
    expect(assess(of, pods, { now }).verdict?.reason).toBe(reason)
  })

  it('ignores failures that the policy ignores', () => {
    const policy = { rules: [{ action: 'Ignore' as const, onExitCodes: { operator: 'In' as const, values: [1] } }] }
    expect(assess(job({ backoffLimit: 0, podFailurePolicy: policy }), [pod('a', 'Failed')], { now })).toMatchObject({
      failed: 0,
      verdict: undefined,
    })
  })
})

describe('counting', () => {
  const interim = (of: Job, pods: readonly Pod[], verdict = assess(of, pods, { now }).verdict) => {
    const assessment = assess(of, pods, { now })
    const running = { active: assessment.active.length, ready: 0, terminating: 0 }
    return decideInterim({
      assessment,
      running,
      verdict,
      conditions: of.status?.conditions,
      startTime: assessment.startTime,
      now,
    })
  }

  it('notes a finished pod before its finalizer goes, and counts it afterwards', () => {
    const pods = [pod('a', 'Succeeded')]
    const { status, release, more } = interim(job(), pods, completionsReached)
    expect(status.uncountedTerminatedPods).toEqual({ succeeded: ['a'] })
    expect(release).toEqual(pods)
    const ended = decideFinal(status, trackedUids(pods, new Set(['a'])), { verdict: completionsReached, more, now })
    expect(ended).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {}, completionTime: '2026-01-01T01:00:00Z' })
    expect(ended.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
      ['SuccessCriteriaMet', 'CompletionsReached'],
      ['Complete', 'CompletionsReached'],
    ])
  })

  it('counts a pod whose finalizer went while nobody counted', () => {
    const of = job({ completions: 2 }, { uncountedTerminatedPods: { succeeded: ['a'] } })
    const { status } = interim(of, [pod('a', 'Succeeded', { tracked: false })])
    expect(status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} })
  })

  it('does not count a counted pod again', () => {
    const of = job({ completions: 2 }, { succeeded: 1 })
    expect(interim(of, [pod('a', 'Succeeded', { tracked: false })]).status).toMatchObject({ succeeded: 1 })
  })

  it('keeps indexes instead of uids for Indexed Jobs', () => {
    const of = job({ completionMode: 'Indexed', completions: 3, parallelism: 3 })
    const { status } = interim(of, [pod('b', 'Succeeded', { index: 2 }), pod('a', 'Succeeded', { index: 0 })])
    expect(status).toMatchObject({ completedIndexes: '0,2', succeeded: 2, uncountedTerminatedPods: {} })
  })

  it('keeps a failed pod until its replacement carries its count', () => {
    const of = job({ completionMode: 'Indexed', completions: 1, parallelism: 1, backoffLimitPerIndex: 2 })
    const failed = pod('a', 'Failed', { index: 0, failuresBefore: 0 })
    expect(interim(of, [failed]).release).toEqual([])
    expect(interim(of, [failed, pod('b', 'Running', { index: 0, failuresBefore: 1 })]).release).toEqual([failed])
  })

  it('counts 500 pods at a time, and only then looks whether the Job ends', () => {
    const pods = Array.from({ length: 501 }, (_, i) => pod(`p${i}`, 'Succeeded'))
    const of = job({ completions: 501 })
    expect(interim(of, pods.slice(1), completionsReached)).toMatchObject({ more: true, release: { length: 500 } })
    expect(interim(of, pods, completionsReached)).toMatchObject({ more: true, release: { length: 500 } })
    expect(interim(of, pods.slice(2), completionsReached)).toMatchObject({ more: false, release: { length: 499 } })
  })

  it('waits for terminating pods before the Job ends', () => {
    const verdict = { type: 'FailureTarget', reason: 'BackoffLimitExceeded', message: 'x' } as const
    const status = { terminating: 1, uncountedTerminatedPods: {} }
    expect(decideFinal(status, new Set(), { verdict, more: false, now }).conditions).toBeUndefined()
    expect(
      decideFinal({ ...status, terminating: 0 }, new Set(), { verdict, more: false, now }).conditions?.[0]?.type,
    ).toBe('Failed')
  })
})
