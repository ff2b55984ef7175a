// Configuration, subscriptions, catalogue and decisions as tables; services and the loop are in test/gitops.

import { describe, expect, test } from 'vitest'
import type { Application, AppProject, ConfigMap, Secret } from '#kinds'
import { readConfig } from './config.ts'
import { decideNotifications } from './decide.ts'
import { environmentOf } from './environment.ts'
import { messageOf } from './message.ts'
import { annotationOf, sentOf } from './state.ts'
import { destinationsOf } from './subscriptions.ts'
import { withoutSecrets } from './without-secrets.ts'

const encoded = (text: string) => Buffer.from(text).toString('base64')
const config = (data: Readonly<Record<string, string>> = {}, secrets: Readonly<Record<string, string>> = {}) =>
  readConfig(
    { data } as unknown as ConfigMap,
    {
      data: Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, encoded(value)])),
    } as unknown as Secret,
    'https://argocd.example',
  )
const app = (
  annotations: Readonly<Record<string, string>> = {},
  status: object = {},
  metadata: object = {},
): Application =>
  ({
    metadata: { name: 'web', annotations, ...metadata },
    spec: { source: { repoURL: 'https://h/o/r' } },
    status,
  }) as never
const now = Date.UTC(2026, 0, 1, 1)
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString().replace('.000', '')
const of = (name: string) => `notifications.argoproj.io/subscribe.${name}`

describe('the configuration', () => {
  test('what is wrong is told, and the rest counts', () => {
    const { faults, triggers, services } = config({
      'trigger.good': '- when: "true"\n  send: [a]',
      'trigger.single': 'when: app.status.sync.status == "Synced"\nsend: [a]',
      'trigger.bad': '- when: app.status ==\n  send: [a]',
      'trigger.empty': '- when: "true"',
      'trigger.yaml': '- [',
      'template.bad': 'message: [1]',
      'service.teams': 'x: y',
      'service.slack': 'username: x',
      'service.webhook.hook': 'url: http://x',
      subscriptions: '- recipients: [slack:a]\n  selector: "a in"',
    })
    expect([triggers.has('good'), triggers.has('single'), triggers.has('bad')]).toEqual([true, true, false])
    expect([...services.keys()]).toEqual(['hook'])
    expect(faults).toHaveLength(7)
    expect(faults).toContain('trigger.bad: a value is expected, not the end')
    expect(faults).toContain('service.teams: the service teams is not supported (webhook, slack, email, github are)')
    expect(faults.find((each) => each.startsWith('service.slack'))).toMatch(/^service\.slack: token: /)
  })

  test('secrets stand for $names, and never in what people read', () => {
    const { secrets } = config({}, { token: 'very-secret', short: 'x' })
    expect(withoutSecrets('x: very-secret is bad', secrets)).toBe('x: *** is bad')
  })
})

test('who subscribes to what', () => {
  const { faults, ...settings } = config({
    defaultTriggers: '[on-created]',
    'defaultTriggers.mail': '[on-deployed, on-deleted]',
    subscriptions: [
      '- {recipients: ["slack:all"], triggers: [on-sync-failed]}',
      '- {recipients: [hook], triggers: [on-created], selector: "team=a"}',
    ].join('\n'),
  })
  expect(faults).toEqual([])
  const annotations = {
    [of('on-deployed.slack')]: 'one; two;one',
    [of('mail')]: 'a@example.com',
    [of('slack')]: 'three',
    'notifications.argoproj.io/subscriptions':
      '- {trigger: [on-sync-running], destinations: [{service: slack, recipients: [four]}, {service: hook}]}',
  }
  const project = { metadata: { annotations: { [of('on-deployed.slack')]: 'two' } } } as unknown as AppProject
  const found = destinationsOf({ faults, ...settings }, app(annotations, {}, { labels: { team: 'a' } }), project)
  const shown = [...found].map(([trigger, all]) => [
    trigger,
    all.map(({ service, recipient }) => `${service}:${recipient}`),
  ])
  expect(Object.fromEntries(shown)).toEqual({
    'on-deployed': ['slack:one', 'slack:two', 'mail:a@example.com'],
    'on-deleted': ['mail:a@example.com'],
    'on-created': ['slack:three', 'hook:'],
    'on-sync-running': ['slack:four', 'hook:'],
    'on-sync-failed': ['slack:all'],
  })
})

describe('the catalogue', () => {
  const settings = config()
  const operation = (phase: string, more: object = {}) => ({
    operationState: {
      phase,
      startedAt: at(-2),
      finishedAt: at(-1),
      syncResult: { revision: 'r1' },
      message: 'm',
      ...more,
    },
  })
  const health = (status: string, minutes: number) => ({ health: { status, lastTransitionTime: at(minutes) } })
  const due = (trigger: string, application: Application, sent = {}) =>
    decideNotifications({
      config: settings,
      destinations: new Map([[trigger, [{ service: 'slack', recipient: 'c' }]]]),
      environment: environmentOf({ app: application, now, commits: new Map() }),
      sent,
    })
  test.each<[string, object, boolean]>([
    ['on-created', {}, true],
    ['on-deleted', {}, false],
    ['on-deployed', { ...operation('Succeeded'), ...health('Healthy', 0) }, true],
    ['on-deployed', { ...operation('Succeeded'), ...health('Progressing', 0) }, false],
    ['on-deployed', { ...operation('Succeeded'), ...health('Healthy', -30) }, true],
    ['on-deployed', { ...operation('Running'), ...health('Healthy', 0) }, false],
    ['on-health-degraded', health('Degraded', 0), true],
    ['on-health-degraded', {}, false],
    ['on-sync-failed', operation('Error'), true],
    ['on-sync-failed', operation('Succeeded'), false],
    ['on-sync-running', operation('Running'), true],
    ['on-sync-status-unknown', { sync: { status: 'Unknown' } }, true],
    ['on-sync-succeeded', operation('Succeeded'), true],
    ['on-sync-succeeded', {}, false],
  ])('%s over %j: %s', (trigger, status, expected) => {
    expect(due(trigger, app({}, status)).due).toHaveLength(expected ? 1 : 0)
  })

  test('once per revision; what is not once per anything is over when it no longer holds', () => {
    const [first] = due('on-sync-succeeded', app({}, operation('Succeeded'))).due
    expect(first?.key).toMatch(/^r1:on-sync-succeeded:\[0\]\.[\w-]{27}:slack:c$/)
    const sent = { [first?.key ?? '']: 1 }
    expect(due('on-sync-succeeded', app({}, operation('Succeeded')), sent)).toMatchObject({ due: [], over: [] })
    expect(due('on-sync-succeeded', app({}, operation('Failed')), sent)).toMatchObject({ due: [], over: [] })
    const next = operation('Succeeded', { syncResult: { revision: 'r2' } })
    expect(due('on-sync-succeeded', app({}, next), sent).due).toHaveLength(1)
    const own = config({ 'trigger.often': '- when: app.status.health.status == "Degraded"\n  send: [x]' })
    const decide = (status: string, known = {}) =>
      decideNotifications({
        config: own,
        destinations: new Map([['often', [{ service: 'slack', recipient: '' }]]]),
        environment: environmentOf({ app: app({}, health(status, 0)), now, commits: new Map() }),
        sent: known,
      })
    const key = decide('Degraded').due[0]?.key ?? ''
    expect(decide('Degraded', { [key]: 1 })).toMatchObject({ due: [], over: [] })
    expect(decide('Healthy', { [key]: 1 })).toMatchObject({ due: [], over: [key] })
  })

  test('every template can be filled in, with JSON for Slack whatever stands in it', () => {
    const full = app(
      {},
      {
        ...operation('Failed'),
        ...health('Degraded', 0),
        sync: { status: 'OutOfSync', revision: 'r1' },
        conditions: [{ type: 'SyncError', message: 'said "no"\n\\ and went' }],
      },
    )
    const variables = {
      ...environmentOf({ app: full, now, commits: new Map() }),
      context: settings.context,
      serviceType: 'slack',
    }
    for (const [name, template] of settings.templates) {
      const { message = '', email, slack } = messageOf([[name, template]], variables)
      expect(`${message}${email?.subject}`).toContain('web')
      expect(`${message}${slack?.attachments}`).not.toContain('<no value>')
      if (slack?.attachments !== undefined) expect(JSON.parse(slack.attachments)).toMatchObject([{ title: 'web' }])
    }
    const text = messageOf(
      [['x', settings.templates.get('app-sync-failed') ?? { message: undefined }]],
      variables,
    ).message
    expect(text).toBe(
      `:exclamation: The sync operation of application web has failed at ${at(-1)} with the following error: m\nSync operation details are available at: https://argocd.example/applications/web?operation=true .`,
    )
  })
})

test('the record keeps the hundred newest, and survives what others wrote into it', () => {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`k${index}`, index]))
  const kept = JSON.parse(annotationOf(many) ?? '') as object
  expect([Object.keys(kept).length, 'k49' in kept, 'k50' in kept]).toEqual([100, false, true])
  expect(annotationOf({})).toBeNull()
  const read = (text: string) => sentOf(app({ 'notified.notifications.argoproj.io': text }))
  expect([read('no json'), read('[1]'), read('{"a":1,"b":"x"}')]).toEqual([{}, {}, { a: 1 }])
})
