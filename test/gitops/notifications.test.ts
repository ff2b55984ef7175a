// Notifications, from an application's annotation to the services that they go to: servers that play them, in virtual time.

import { createVerify, generateKeyPairSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Application, ConfigMap, Event, Secret } from '#kinds'
import { parseTime } from '#objects'
import { orders, StepTrouble } from '../contract/step-trouble.ts'
import { Observer } from '../support/observer.ts'
import { startMailServer } from './mail-server.ts'
import { type Asked, type ProviderServer, startProviderServer } from './provider-server.ts'
import { application, auto, configMap, deployment, type Lab, type LabOptions, startLab } from './reconciler.ts'

let lab: Lab
let server: ProviderServer
beforeEach(async () => {
  server = await startProviderServer()
})
afterEach(async () => {
  await lab.stop()
  await server.close()
})

const loop = 'notifications-controller'
const merge = { type: 'application/merge-patch+json' } as const
const notified = 'notified.notifications.argoproj.io'
const subscribe = (name: string) => `notifications.argoproj.io/subscribe.${name}`
const object = (kind: string, name: string, rest: object) =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'argocd' }, ...rest }) as unknown

async function begin(data: Readonly<Record<string, string>>, options: LabOptions = {}): Promise<void> {
  lab = await startLab({ files: { 'web/x.yaml': configMap('x', '1') }, ...options })
  const stringData = { token: 'very-secret', password: 'pass-word' }
  await lab.client.create(Secret, object('Secret', 'argocd-notifications-secret', { stringData }) as Secret)
  await lab.client.create(ConfigMap, object('ConfigMap', 'argocd-notifications-cm', { data }) as ConfigMap)
}

const create = (annotations: Readonly<Record<string, string>>, options: object = { automated: auto }) => {
  const app = application('web', lab.repo, options)
  return lab.create({ ...app, metadata: { ...app.metadata, annotations } })
}

const slack = () => `{token: $token, apiURL: "${server.url}/api", username: argo, icon: ":robot:"}`
const slackAnswers = { 'POST /api/chat.postMessage': { ok: true } }
const messages = () => server.asked.map(({ body }) => JSON.parse(body) as Readonly<Record<string, unknown>>)
const events = async (reason: string) => (await lab.client.list(Event)).items.filter((each) => each.reason === reason)
const failures = async () => (await events('NotificationFailed')).map(({ message }) => message ?? '')
const record = async () =>
  Object.keys(JSON.parse((await lab.app('web'))?.metadata.annotations?.[notified] ?? '{}') as object)

describe('a notification', () => {
  test('goes to Slack once per deployment, when the deployment is healthy', async () => {
    server.routes = slackAnswers
    await begin({ 'service.slack': slack() }, { files: { 'web/x.yaml': deployment('web') }, instant: false })
    await create({ [subscribe('on-deployed.slack')]: 'one;two' })
    await lab.settled('web')
    await lab.until(() => server.asked.length > 0)
    await lab.world.advance(300_000)
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer very-secret'))
    expect(messages().map(({ channel }) => channel)).toEqual(['one', 'two'])
    expect(messages()[0]).toMatchObject({
      text: ':white_check_mark: Application web is now running new version of deployments manifests.',
      username: 'argo',
      icon_emoji: ':robot:',
      attachments: [{ title: 'web', color: '#18be52' }],
    })
    const revision = lab.repo.git('rev-parse', 'HEAD')
    expect((await record()).every((key) => key.startsWith(`${revision}:on-deployed:[0].`))).toBe(true)
    await lab.commit({ 'web/x.yaml': deployment('web', { replicas: 2 }) })
    await lab.until(() => server.asked.length === 4)
    await lab.world.advance(300_000)
    // Not while the health was still that of before the sync.
    const { metadata, status } = (await lab.app('web')) ?? {}
    const times = Object.values(JSON.parse(metadata?.annotations?.[notified] ?? '{}') as Record<string, number>)
    expect(Math.max(...times)).toBeGreaterThanOrEqual((parseTime(status?.health?.lastTransitionTime) ?? 0) / 1000)
    expect(server.asked).toHaveLength(4)
    expect(await failures()).toEqual([])
  })

  test('by webhook: what the template makes of the application, its commit and its secrets', async () => {
    server.routes = { 'POST /base/hook/web': {} }
    await begin({
      'service.webhook.hook': `{url: "${server.url}/base/", headers: [{name: X-Key, value: $token}], basicAuth: {username: me, password: $password}}`,
      'trigger.mine':
        "- {when: app.status.sync.status == 'Synced', oncePer: app.status.sync.revision, send: [first, second]}",
      'template.first': 'webhook: {hook: {method: POST, path: "/hook/{{.app.metadata.name}}"}}\nmessage: unused',
      'template.second': `webhook: {hook: {method: POST, path: "hook/{{.app.metadata.name}}", body: '{"by":"{{(call .repo.GetCommitMetadata .app.status.sync.revision).Author}}","at":"{{(call .time.Parse .app.status.reconciledAt).Local.Format "2006"}}","of":"{{.appProject.metadata.name}}","in":"{{.context.region}}","key":"{{.secrets.token}}","type":"{{.serviceType}}"}'}}`,
      context: 'region: east',
    })
    await create({ [subscribe('mine.hook')]: '' })
    await lab.until(() => server.asked.length === 1)
    expect(server.asked[0]?.headers).toMatchObject({
      'x-key': 'very-secret',
      authorization: expect.stringMatching(/^Basic /),
    })
    expect(JSON.parse(server.asked[0]?.body ?? '')).toEqual({
      by: expect.stringContaining('@'),
      at: '2026',
      of: 'default',
      in: 'east',
      key: 'very-secret',
      type: 'webhook',
    })
    expect(await failures()).toEqual([])
  })

  test('by e-mail', async () => {
    const mail = await startMailServer()
    await begin({ 'service.email.post': `{host: 127.0.0.1, port: ${mail.port}, from: argo@example.com}` })
    await create({ [subscribe('on-created.post')]: 'ann@example.com' })
    await lab.until(() => mail.mails.length === 1)
    expect(mail.mails[0]).toMatchObject({ from: 'argo@example.com', to: ['ann@example.com'] })
    expect(mail.mails[0]?.text).toMatch(/Subject: Application web has been created\./)
    mail.refusal = '550 very-secret is nobody'
    await lab.patch('web', { metadata: { annotations: { [subscribe('on-created.post')]: 'bob@example.com' } } })
    await lab.until(async () => (await failures()).length === 1)
    expect(await failures()).toEqual([
      'notification on-created by post to bob@example.com: EENVELOPE (the server answered 550)',
    ])
    await mail.close()
  })

  test('by GitHub: the status of the commit, and one comment on each of its pull requests', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string
    const revision = 'r1'
    server.routes = {
      'GET /': {},
      'POST /app/installations/7/access_tokens': { token: 'for-an-hour' },
      [`POST /repos/org/app/statuses/${revision}`]: {},
      [`GET /repos/org/app/commits/${revision}/pulls`]: [{ number: 3 }, { number: 4 }],
      'GET /repos/org/app/issues/3/comments': [{ id: 30, body: 'old\n<!-- argocd-notifications cd/web -->' }],
      'GET /repos/org/app/issues/4/comments': [{ id: 40, body: 'other' }],
      'PATCH /repos/org/app/issues/comments/30': {},
      'POST /repos/org/app/issues/4/comments': {},
    }
    await begin({
      'service.github': `{appID: 5, installationID: 7, privateKey: $key, enterpriseBaseURL: "${server.url}"}`,
      'trigger.done': "- {when: app.status.sync.status == 'Synced', oncePer: app.metadata.name, send: [status]}",
      'template.status': JSON.stringify({
        message: 'Application {{.app.metadata.name}} is there',
        github: {
          repoURLPath: 'git@github.com:org/app.git',
          revisionPath: revision,
          status: { state: 'success', label: 'cd/{{.app.metadata.name}}', targetURL: 'https://argo' },
          pullRequestComment: { content: 'deployed', commentTag: 'cd/{{.app.metadata.name}}' },
        },
      }),
    })
    const secret = { data: { key: Buffer.from(pem).toString('base64') } }
    await lab.client.patch(Secret, { namespace: 'argocd', name: 'argocd-notifications-secret' }, secret, merge)
    await create({ [subscribe('done.github')]: '' })
    await lab.until(async () => (await record()).length === 1)
    const bodies = Object.fromEntries(
      server.asked.filter(({ body }) => body !== '').map(({ path, body }) => [path, JSON.parse(body) as object]),
    )
    const comment = { body: 'deployed\n<!-- argocd-notifications cd/web -->' }
    expect(bodies).toEqual({
      '/repos/org/app/statuses/r1': {
        state: 'success',
        context: 'cd/web',
        description: 'Application web is there',
        target_url: 'https://argo',
      },
      '/repos/org/app/issues/comments/30': comment,
      '/repos/org/app/issues/4/comments': comment,
    })
    const [unsigned, claims, signature] = (server.asked[1]?.headers.authorization ?? '')
      .replace('Bearer ', '')
      .split('.')
    const verified = createVerify('RSA-SHA256').update(`${unsigned}.${claims}`)
    expect(verified.verify(publicKey, signature ?? '', 'base64url')).toBe(true)
    expect(server.asked[2]?.headers.authorization).toBe('Bearer for-an-hour')
    expect(await failures()).toEqual([])
  })

  test('an application that goes is told of', async () => {
    server.routes = slackAnswers
    await begin({ 'service.slack': slack(), subscriptions: '- {recipients: ["slack:all"], triggers: [on-deleted]}' })
    await create({}, { automated: auto, finalizer: true })
    await lab.settled('web')
    await lab.client.delete(Application, { namespace: 'argocd', name: 'web' })
    await lab.until(async () => (await lab.app('web')) === undefined && server.asked.length === 1)
    expect(messages()[0]?.['text']).toBe('Application web has been deleted.')
  })
})

describe('what cannot be sent', () => {
  test('is told once, tried again later and later, and sent in the end', async () => {
    server.routes = { 'POST /api/chat.postMessage': () => ({ status: 500, body: 'very-secret' }) }
    await begin({ 'service.slack': slack() })
    await create({ [subscribe('on-created.slack')]: 'one' })
    await lab.until(async () => (await failures()).length === 1)
    await lab.world.advance(3_600_000)
    const attempts = server.asked.length
    expect(attempts).toBeGreaterThan(9)
    expect(attempts).toBeLessThan(16)
    expect(await failures()).toEqual(['notification on-created by slack to one: the server answered 500'])
    expect(await record()).toEqual([])
    server.routes = { 'POST /api/chat.postMessage': { ok: false, error: 'channel_not_found' } }
    await lab.until(async () => (await failures()).some((each) => each.endsWith('channel_not_found')), 1_200_000)
    server.routes = slackAnswers
    await lab.until(async () => (await record()).length === 1, 1_200_000)
    await lab.world.advance(3_600_000)
    expect(server.asked.length).toBe(attempts + 2)
  })

  test('a configuration that is wrong is told on its ConfigMap, and mended at once', async () => {
    server.routes = slackAnswers
    await begin({ 'service.slack': '{token: "", apiURL: x}', 'trigger.bad': '- {when: "a ==", send: [x]}' })
    await create({ [subscribe('on-created.slack')]: 'one', [subscribe('never.slack')]: 'one' })
    await lab.until(async () => (await events('InvalidConfiguration')).length === 2)
    await lab.until(async () => (await failures()).length === 2)
    expect(await failures()).toEqual(
      expect.arrayContaining([
        'trigger never is not configured',
        "notification on-created by slack to one: notification service 'slack' is not supported or not configured",
      ]),
    )
    const data = { 'service.slack': slack() }
    await lab.client.patch(ConfigMap, { namespace: 'argocd', name: 'argocd-notifications-cm' }, { data }, merge)
    await lab.until(() => server.asked.length === 1, 60_000)
  })

  test('a condition on the time comes true by itself', async () => {
    server.routes = slackAnswers
    await begin({
      'service.slack': slack(),
      'trigger.old':
        '- {when: "time.Now().Sub(time.Parse(app.metadata.creationTimestamp)).Minutes() >= 10", send: [app-created]}',
    })
    await create({ [subscribe('old.slack')]: 'one' })
    await lab.world.advance(540_000)
    expect(server.asked).toHaveLength(0)
    await lab.until(() => server.asked.length === 1, 180_000)
  })
})

describe('the loop', () => {
  test('sends nothing twice because it began anew', async () => {
    server.routes = slackAnswers
    await begin({ 'service.slack': slack() })
    await create({ [subscribe('on-created.slack')]: 'one' })
    await lab.until(async () => (await record()).length === 1)
    for (let round = 0; round < 5; round++) {
      lab.machine.runtime.restartLoop(loop)
      lab.machine.runtime.resync()
      await lab.world.advance(10_000)
    }
    expect(server.asked).toHaveLength(1)
  })

  test('may die, fail and be left without an answer at every step: nothing is lost', async () => {
    server.routes = slackAnswers
    const observer = new Observer()
    const trouble = new StepTrouble({ loop, order: orders[0], observer, machine: () => lab.machine })
    await begin({ 'service.slack': slack() }, { observer, wrap: (next) => trouble.wrap(observer.wrap(next)) })
    await create({ [subscribe('on-created.slack')]: 'one', [subscribe('on-sync-succeeded.slack')]: 'one' })
    await lab.until(async () => (await record()).length === 2, 600_000)
    expect(trouble.met.size).toBeGreaterThan(0)
    expect(trouble.missed).toEqual([])
    const texts = new Set(messages().map(({ text }) => text))
    expect(texts.size).toBe(2)
    // A write that fails is no reason to send again.
    expect(server.asked.length).toBeLessThanOrEqual(3)
    const [first] = server.asked as readonly Asked[]
    expect(first?.path).toBe('/api/chat.postMessage')
  })
})
