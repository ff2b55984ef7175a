import { describe, expect, test } from 'vitest'
import type { Application, ApplicationStatus, Event } from '#kinds'
import { driftNews, newsOf, type Said } from './news.ts'

const revision = 'a'.repeat(40)
const resources = [{ kind: 'ConfigMap', name: 'a', version: 'v1', status: 'Synced' as const }]
const good: ApplicationStatus = {
  sync: { status: 'Synced', revision },
  health: { status: 'Healthy' },
  resources,
}
const app = (status: object): Application =>
  ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: { project: 'default', destination: {}, source: { repoURL: '/x', path: 'k8s' } },
    status,
  }) as Application
const failed = (message: string, more: object = {}) =>
  app({ sync: { status: 'OutOfSync' }, operationState: { phase: 'Failed', message, ...more } })

/** The lines for one state after another. */
function lines(...states: readonly Application[]): readonly string[] {
  const told: string[] = []
  let said: Said | undefined
  for (const state of states) {
    const news = newsOf(state, said)
    said = news.said
    if (news.line !== undefined) told.push(news.line)
  }
  return told
}

describe('news of an application', () => {
  test('that is in order are told once for a revision', () => {
    const progressing = app({ ...good, health: { status: 'Progressing' } })
    const other = app({ ...good, sync: { status: 'Synced', revision: 'b'.repeat(40) } })
    expect(lines(app({}), app(good), progressing, app(good), other)).toEqual([
      'shop: Synced and Healthy at aaaaaaa',
      'shop: Synced and Healthy at bbbbbbb',
    ])
  })

  test('without objects say where was looked', () => {
    expect(lines(app({ ...good, resources: [] }))).toEqual([
      'shop: nothing to apply: there are no manifests in k8s (folders below it are not read; --path chooses another one)',
    ])
  })

  test('in trouble are told until the trouble changes, and so is its end', () => {
    const broken = app({ ...good, conditions: [{ type: 'ComparisonError', message: 'a.yaml:1:2: bad' }] })
    const down = app({ ...good, conditions: [{ type: 'RepositoryWarning', message: 'git fetch: 503' }] })
    expect(lines(app(good), broken, broken, down, app(good))).toEqual([
      'shop: Synced and Healthy at aaaaaaa',
      'shop: a.yaml:1:2: bad',
      'shop: git fetch: 503',
      'shop: Synced and Healthy at aaaaaaa',
    ])
  })

  test('of a failed sync do not repeat with every attempt', () => {
    const retrying = (count: number) =>
      failed(`no such kind. Retrying attempt #${count} at 1:0${count}AM.`, { phase: 'Running', retryCount: count })
    expect(lines(retrying(1), retrying(2), failed('no such kind (retried 2 times).'))).toEqual([
      'shop: the sync failed: no such kind',
    ])
  })

  test('that is degraded name what is', () => {
    const ill = [{ ...resources[0], health: { status: 'Degraded', message: 'no such image' } }]
    expect(lines(app({ ...good, health: { status: 'Degraded' }, resources: ill }))).toEqual([
      'shop: Degraded: ConfigMap a: no such image',
    ])
  })

  test('that drifted are told, and that it is in order again', () => {
    const event = {
      involvedObject: { kind: 'Application', name: 'shop' },
      reason: 'DriftDetected',
      message: 'Deployment shop/web differs from git',
    } as Event
    const { said } = newsOf(app(good))
    const drift = driftNews(event, said)
    expect(drift.line).toBe('shop: Deployment shop/web differs from git')
    expect(newsOf(app(good), drift.said).line).toBe('shop: Synced and Healthy at aaaaaaa')
    expect(driftNews({ ...event, reason: 'ResourceUpdated' } as Event, said).line).toBeUndefined()
  })
})
