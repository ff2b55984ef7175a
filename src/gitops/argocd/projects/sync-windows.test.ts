import { describe, expect, it } from 'vitest'
import type { Application, AppProject, SyncWindow } from '#kinds'
import { assignedWindows, decideSync, nextAllowedAt, windowFaults } from './sync-windows.ts'

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`)

const project = (...syncWindows: readonly SyncWindow[]): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'p', namespace: 'argocd' },
  spec: { syncWindows },
})

const app = (destination: Application['spec']['destination'] = {}): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'argocd' },
  spec: { project: 'p', destination: { server: 'https://kubernetes.default.svc', namespace: 'shop', ...destination } },
})

const everyone = { applications: ['*'] }
/** From 10 to 12. */
const allow = (more: SyncWindow = {}): SyncWindow => ({
  kind: 'allow',
  schedule: '0 10 * * *',
  duration: '2h',
  ...everyone,
  ...more,
})
/** From 11 to 13. */
const deny = (more: SyncWindow = {}): SyncWindow => ({ ...allow(), kind: 'deny', schedule: '0 11 * * *', ...more })
const manualSync = { manualSync: true }
const syncOverrun = { syncOverrun: true }

describe('syncs', () => {
  it.each<[string, readonly SyncWindow[], string, 'all' | 'manual' | 'none']>([
    ['none of them concerns it', [deny({ applications: ['api'] })], '11:30:00', 'all'],
    ['a deny window is open', [deny()], '11:30:00', 'none'],
    ['a deny window is shut', [deny()], '10:30:00', 'all'],
    ['a deny window lets people sync', [deny(manualSync)], '11:30:00', 'manual'],
    ['one of two deny windows does not', [deny(manualSync), deny({ duration: '1h' })], '11:30:00', 'none'],
    ['an allow window is open', [allow()], '10:30:00', 'all'],
    ['an allow window is shut', [allow()], '13:30:00', 'none'],
    ['a shut allow window lets people sync', [allow(manualSync)], '13:30:00', 'manual'],
    ['one of two shut allow windows does not', [allow(manualSync), allow({ duration: '1h' })], '13:30:00', 'none'],
    ['one of two allow windows is open', [allow(), allow({ duration: '1h' })], '11:30:00', 'all'],
    ['deny wins over allow', [allow(), deny()], '11:30:00', 'none'],
    ['deny is over, and so is allow', [allow(), deny()], '13:30:00', 'none'],
  ])('%s', (_, windows, time, who) => {
    const of = project(...windows)
    const allowed = (manual: boolean): boolean => decideSync(of, app(), { manual, now: at(time) }).allowed
    expect([allowed(false), allowed(true)]).toEqual([who === 'all', who !== 'none'])
  })

  it.each<[string, SyncWindow, Application, boolean]>([
    ['the name fits', { applications: ['w*'] }, app(), true],
    ['the namespace fits', { namespaces: ['other', 'sh?p'] }, app(), true],
    ['any namespace, even none', { namespaces: ['*'] }, app({ namespace: '' }), true],
    ['the URL of the cluster fits', { clusters: ['https://*'] }, app(), true],
    ['the name of the cluster fits', { clusters: ['in-cluster'] }, app({ name: 'in-cluster', server: '' }), true],
    ['a cluster without a name has none', { clusters: ['in-cluster'] }, app(), false],
    ['one of the lists fits', { applications: ['api'], namespaces: ['shop'] }, app(), true],
    [
      'and: one of the lists does not',
      { applications: ['api'], namespaces: ['shop'], andOperator: true },
      app(),
      false,
    ],
    ['and: all lists fit', { applications: ['web'], namespaces: ['shop'], andOperator: true }, app(), true],
    ['no list', {}, app(), false],
  ])('are a matter of a window where %s', (_, targets, of, assigned) => {
    const { applications: _all, ...rest } = deny()
    expect(assignedWindows(project({ ...rest, ...targets }), of, at('11:30:00'))).toHaveLength(assigned ? 1 : 0)
  })
})

describe('a sync that is under way', () => {
  it.each<[string, readonly SyncWindow[], string, string, boolean]>([
    ['stops at a deny window', [deny()], '10:59:00', '11:30:00', false],
    ['runs on into one that permits it', [deny(syncOverrun)], '10:59:00', '11:30:00', true],
    ['but not if it began in it', [deny(syncOverrun)], '11:10:00', '11:30:00', false],
    [
      'stops when one of two does not permit it',
      [deny(syncOverrun), deny({ duration: '1h' })],
      '10:59:00',
      '11:30:00',
      false,
    ],
    ['stops at the end of an allow window', [allow()], '11:59:00', '12:30:00', false],
    ['runs on after one that permits it', [allow(syncOverrun)], '11:59:00', '12:30:00', true],
    ['but not if it began outside', [allow(syncOverrun)], '09:00:00', '12:30:00', false],
    [
      'stops where one of the allow windows does not permit it',
      [allow(syncOverrun), allow({ duration: '1h' })],
      '11:59:00',
      '12:30:00',
      false,
    ],
    [
      'leaves an allow window for a deny window that permits it',
      [allow(), deny(syncOverrun)],
      '10:30:00',
      '11:30:00',
      true,
    ],
    [
      'stops at a deny window though the allow window permits it',
      [allow(syncOverrun), deny()],
      '10:30:00',
      '11:30:00',
      false,
    ],
  ])('%s', (_, windows, startedAt, now, allowed) => {
    const request = { manual: false, now: at(now), startedAt: at(startedAt) }
    expect(decideSync(project(...windows), app(), request).allowed).toBe(allowed)
  })
})

describe('what is told', () => {
  it('is when the verdict may change, and when syncs are allowed again', () => {
    const of = project(allow(), deny())
    expect(decideSync(of, app(), { manual: false, now: at('11:30:00') }).changesAt).toBe(at('12:00:00'))
    expect(nextAllowedAt(of, app(), at('11:30:00'))).toBe(Date.parse('2026-01-02T10:00:00Z'))
    expect(nextAllowedAt(project(deny({ schedule: '* * * * *' })), app(), at('11:30:00'))).toBeUndefined()
  })

  it('is what is wrong with a window, and nothing is synced until it is mended', () => {
    const of = project(allow({ duration: 'long' }), deny({ applications: [] }), allow({ applications: ['api'] }))
    expect(windowFaults(of)).toEqual([
      `spec.syncWindows[0]: cannot parse duration 'long': time: invalid duration "long"`,
      "spec.syncWindows[1]: window 'deny':'0 11 * * *':'2h' requires one of application, cluster or namespace",
    ])
    expect(decideSync(of, app(), { manual: true, now: at('10:30:00') })).toMatchObject({
      allowed: false,
      fault: `invalid sync windows: cannot parse duration 'long': time: invalid duration "long" (spec.syncWindows[0] of AppProject p)`,
    })
  })
})
