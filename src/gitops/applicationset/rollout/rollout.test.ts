// Steps, shares and records of a RollingSync as tables; whole rollouts are in test/gitops.

import { describe, expect, test } from 'vitest'
import type { Application, ApplicationSet, ApplicationSetApplicationStatus, RolloutStep } from '#kinds'
import { recordOf } from './progress.ts'
import { stepsOf, updateLimit } from './steps.ts'
import { takeTurns } from './turns.ts'

const set = (steps: readonly RolloutStep[]): ApplicationSet =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'set' },
    spec: { generators: [], template: {}, strategy: { type: 'RollingSync', rollingSync: { steps } } },
  }) as ApplicationSet

const source = { repoURL: 'r', path: 'p' }
const destination = { server: 's' }
const app = (name: string, env: string | undefined, status: object = {}): Application =>
  ({
    metadata: { name, labels: env === undefined ? {} : { env } },
    spec: { project: 'default', source, destination },
    status,
  }) as unknown as Application

const expression = (operator: string, ...values: readonly string[]) => ({ key: 'env', operator, values })

describe('steps', () => {
  const apps = [app('a', 'dev'), app('b', 'prod'), app('c', undefined)]

  test('all expressions have to hold; what has no such label is in none of its values', () => {
    const both = { matchExpressions: [expression('In', 'dev', 'prod'), expression('NotIn', 'prod')] }
    expect(stepsOf(set([both]), apps).selected).toEqual([['a']])
    expect(stepsOf(set([{ matchExpressions: [expression('NotIn', 'prod')] }]), apps).selected).toEqual([['a', 'c']])
    expect(stepsOf(set([{}]), apps).selected).toEqual([['a', 'b', 'c']])
  })

  test.each([
    [[{ matchExpressions: [expression('Exists')] }], /^Step 1 has invalid matchExpression operators: Exists\. Supp/],
    [[{}, { matchExpressions: [expression('In', 'dev')] }], "Application 'a' is selected by multiple steps: (1-2)"],
    [[{ maxUpdate: '5 %' }], 'Step 1 has an invalid maxUpdate value: 5 %'],
    [[{ maxUpdate: 1.5 }], 'Step 1 has an invalid maxUpdate value: 1.5'],
    [[{}, { matchExpressions: [expression('In', 'qa')] }], 'Steps [2] have no applications matching their criteria'],
    [[{ maxUpdate: '5%' }], undefined],
  ])('what is wrong with them is told: %j', (steps: readonly RolloutStep[], fault) => {
    const found = stepsOf(set(steps), apps).fault
    if (fault instanceof RegExp) expect(found).toMatch(fault)
    else expect(found).toBe(fault)
  })

  test.each([
    [undefined, 7, 7],
    [3, 7, 3],
    [0, 7, 0],
    ['50%', 7, 3],
    ['1%', 7, 1],
    ['0%', 7, 0],
    ['many', 7, 1],
  ])('maxUpdate %s of %i lets %i be updated together', (maxUpdate, total, limit) => {
    expect(updateLimit(maxUpdate === undefined ? {} : { maxUpdate }, total)).toBe(limit)
  })
})

describe('the record of an application', () => {
  const now = Date.UTC(2026, 0, 1, 0, 1)
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString().replace('.000', '')
  const record = (status: string): ApplicationSetApplicationStatus =>
    ({
      application: 'a',
      step: '1',
      targetRevisions: ['1'],
      lastTransitionTime: at(-10),
      message: 'm',
      status,
    }) as never
  const status = (sync: string, health: string, more: object = {}) => ({
    sync: { status: sync, revision: '1', comparedTo: { source, destination } },
    health: { status: health },
    ...more,
  })
  const operation = (phase: string, seconds: number, revision = '1') => ({
    operationState: { phase, startedAt: at(seconds), syncResult: { revision, source } },
  })
  const next = (before: string, of: object, specChanges = false): string => {
    const looked = { app: app('a', 'dev', of), specChanges, record: record(before) }
    return recordOf(looked, stepsOf(set([{}]), [looked.app]), now).status
  }

  test.each([
    ['Waiting', status('OutOfSync', 'Healthy'), 'Waiting'],
    ['Waiting', status('Synced', 'Healthy'), 'Healthy'],
    ['Waiting', status('Synced', 'Progressing'), 'Progressing'],
    ['Waiting', { ...status('Synced', 'Healthy'), sync: { status: 'Synced', revision: '1' } }, 'Waiting'],
    ['Pending', status('OutOfSync', 'Healthy', operation('Succeeded', -11)), 'Pending'],
    ['Pending', status('OutOfSync', 'Healthy', operation('Running', -10)), 'Progressing'],
    ['Pending', status('Synced', 'Healthy', operation('Failed', -5)), 'Progressing'],
    ['Progressing', status('Synced', 'Progressing', operation('Succeeded', -5)), 'Progressing'],
    ['Progressing', status('Synced', 'Healthy', operation('Running', -5)), 'Progressing'],
    ['Progressing', status('Synced', 'Healthy', operation('Succeeded', -5)), 'Healthy'],
    // Changed by hand after it was rolled out: no new rollout.
    ['Healthy', status('OutOfSync', 'Healthy', operation('Succeeded', -5)), 'Healthy'],
    ['Healthy', status('Synced', 'Degraded', operation('Succeeded', -5)), 'Healthy'],
    // What is out of sync was never synced to what is wanted now.
    ['Healthy', status('OutOfSync', 'Healthy', operation('Succeeded', -5, '0')), 'Waiting'],
  ])('%s, %j: %s', (before, of, expected) => {
    expect(next(before, of)).toBe(expected)
  })

  test('a spec that is about to change, or another revision, waits for its turn', () => {
    expect(next('Healthy', status('Synced', 'Healthy'), true)).toBe('Waiting')
    const moved = { ...status('OutOfSync', 'Healthy'), sync: { status: 'OutOfSync', revision: '2' } }
    expect(next('Progressing', moved)).toBe('Waiting')
  })
})

test('who hears of a commit first waits a minute for earlier steps to hear of it', () => {
  const sync = (revision: string) => ({ sync: { status: 'OutOfSync', revision, comparedTo: { source, destination } } })
  const apps = [app('a', 'dev', sync('1')), app('b', 'prod', sync('2'))]
  const steps = stepsOf(
    set([{ matchExpressions: [expression('In', 'dev')] }, { matchExpressions: [expression('In', 'prod')] }]),
    apps,
  )
  const record = (application: string, status: string) =>
    ({
      application,
      status,
      step: '1',
      message: '',
      targetRevisions: [],
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }) as const
  const turnsAt = (now: number, of = apps) =>
    takeTurns({
      records: [record('a', 'Healthy'), record('b', 'Waiting')] as never,
      steps,
      find: (name) => of.find(({ metadata }) => metadata.name === name),
      now,
    })
  const from = Date.UTC(2026, 0, 1)
  expect(turnsAt(from + 59_000)).toMatchObject({ records: [{}, { status: 'Waiting' }], soon: true })
  expect(turnsAt(from + 60_000)).toMatchObject({ records: [{}, { status: 'Pending' }], soon: false })
  expect(turnsAt(from, [app('a', 'dev', sync('2')), apps[1] as Application]).records[1]?.status).toBe('Pending')
})
