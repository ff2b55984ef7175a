import { afterEach, describe, expect, test } from 'vitest'
import { Application, ConfigMap, Deployment, Event, Secret, Service } from '#kinds'
import { application, auto, configMap, deployment, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const merge = { type: 'application/merge-patch+json' } as const

async function withWeb(automated: object | undefined = auto): Promise<void> {
  lab = await startLab({
    files: { 'web/web.yaml': deployment('web', { replicas: 3 }), 'web/settings.yaml': configMap('settings', 'a') },
  })
  await lab.create(application('web', lab.repo, automated === undefined ? {} : { automated }))
  if (automated === undefined) await lab.sync('web')
  await lab.settled('web')
}

const scale = (replicas: number) =>
  lab.machine.client({ userAgent: 'kubectl/v1.34' }).patch(Deployment, shop('web'), { spec: { replicas } }, merge)

describe('drift', () => {
  test('is seen within a second, with field, values, manager and time, and healed', async () => {
    await withWeb()
    const changedAt = lab.world.clock.now()
    await scale(9)
    await lab.until(() => lab.gitops.driftLog('web').length === 1, 1000)
    await lab.until(async () => (await lab.find(Deployment, shop('web')))?.spec.replicas === 3, 1000)
    await lab.settled('web')
    const [entry] = lab.gitops.driftLog()
    expect(entry).toMatchObject({
      application: 'web',
      group: 'apps',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'web',
      change: 'Modified',
      fields: [{ path: 'spec.replicas', live: 9, desired: 3, manager: 'kubectl' }],
    })
    expect(Date.parse(entry?.detectedAt ?? '') - changedAt).toBeLessThanOrEqual(1000)
    expect(entry?.fields[0]?.managerTime).toBeDefined()
    expect(entry?.correctedAt).toBeDefined()
    const app = await lab.app('web')
    expect(app?.status?.operationState?.operation.sync).toMatchObject({
      resources: [{ kind: 'Deployment', name: 'web' }],
      autoHealAttemptsCount: 1,
    })
    expect(app?.status?.history).toHaveLength(1)
    await lab.world.advance(2000)
    const events = await lab.client.list(Event, { namespace: 'argocd' })
    const messages = events.items
      .filter((event) => event.involvedObject.name === 'web')
      .map((event) => `${event.reason}: ${event.message}`)
    expect(messages).toContain(
      'DriftDetected: Deployment shop/web differs from git: spec.replicas is 9, not 3 (kubectl)',
    )
    expect(messages).toContain('DriftCorrected: Deployment shop/web is as git says again')
  })

  test('without self-heal stays, shown', async () => {
    await withWeb({ prune: true })
    await scale(5)
    await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'OutOfSync', 1000)
    await lab.world.advance(60_000)
    expect((await lab.find(Deployment, shop('web')))?.spec.replicas).toBe(5)
    expect(lab.gitops.driftLog('web')).toMatchObject([{ kind: 'Deployment' }])
    expect(lab.gitops.driftLog('web')[0]?.correctedAt).toBeUndefined()
    await scale(3)
    await lab.until(() => lab.gitops.driftLog('web')[0]?.correctedAt !== undefined, 1000)
  })

  test('that comes again and again is healed less and less often', async () => {
    await withWeb()
    const healedAfter: number[] = []
    for (let round = 0; round < 4; round++) {
      await scale(9)
      const begun = lab.world.clock.now()
      await lab.until(async () => (await lab.find(Deployment, shop('web')))?.spec.replicas === 3)
      healedAfter.push(Math.round((lab.world.clock.now() - begun) / 1000))
      await lab.settled('web')
    }
    expect(healedAfter[0]).toBe(0)
    expect(healedAfter[1]).toBeLessThanOrEqual(2)
    expect(healedAfter[2]).toBeGreaterThanOrEqual(4)
    expect(healedAfter[3]).toBeGreaterThanOrEqual(14)
  })

  test('of a deleted object is told, and the object is back', async () => {
    await withWeb()
    await lab.client.delete(Deployment, shop('web'), { propagationPolicy: 'Background' })
    await lab.until(async () => (await lab.find(Deployment, shop('web')))?.status?.availableReplicas === 3)
    await lab.settled('web')
    expect(lab.gitops.driftLog('web')).toMatchObject([{ change: 'Deleted', name: 'web', fields: [] }])
  })

  test('that changes before it is corrected is told again, and ends with the correction', async () => {
    await withWeb()
    await scale(9)
    await lab.until(async () => (await lab.find(Deployment, shop('web')))?.spec.replicas === 3)
    await lab.settled('web')
    await scale(5)
    await lab.world.advance(100)
    await scale(6)
    await lab.world.advance(100)
    await lab.client.delete(Deployment, shop('web'), { propagationPolicy: 'Background' })
    await lab.until(async () => (await lab.find(Deployment, shop('web')))?.status?.availableReplicas === 3)
    await lab.settled('web')
    const log = lab.gitops.driftLog('web')
    expect(log.map(({ change, fields }) => [change, fields[0]?.live])).toEqual([
      ['Deleted', undefined],
      ['Modified', 6],
      ['Modified', 5],
      ['Modified', 9],
    ])
    expect(log.filter((entry) => entry.correctedAt === undefined)).toEqual([])
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('is only what people did, however caches lag (seed %i)', async (seed) => {
    lab = await startLab({ seed, files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    for (let round = 0; round < 5; round++) {
      await lab.client.delete(Deployment, shop('web'), { propagationPolicy: 'Background' })
      await lab.until(async () => (await lab.find(Deployment, shop('web')))?.status?.availableReplicas === 3)
      await lab.settled('web')
    }
    expect(new Set(lab.gitops.driftLog('web').map(({ change }) => change))).toEqual(new Set(['Deleted']))
  })

  test.each([
    ['a named port', { name: 'http', port: 80 }, { name: 'http', port: 81 }],
    ['a port without a name', { port: 80 }, { port: 81 }],
  ])('that contradicts git in a list of others is healed too: %s', async (_what, port, other) => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } }
    const files = { 'web/s.yaml': manifest({ ...service, spec: { selector: { app: 'web' }, ports: [port] } }) }
    lab = await startLab({ files })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const before = (await lab.find(Service, shop('web')))?.spec
    await lab.machine
      .client({ userAgent: 'kubectl/v1.34' })
      .patch(Service, shop('web'), { spec: { ports: [other] } }, merge)
    await lab.until(() => lab.gitops.driftLog('web').length === 1, 1000)
    expect(JSON.stringify(lab.gitops.driftLog('web')[0]?.fields)).toContain('81')
    await lab.settled('web')
    expect((await lab.find(Service, shop('web')))?.spec).toEqual(before)
  })

  const one = (fields: object) => [{ name: 'main', image: 'nginx:1.27', ...fields }]
  const env = (fields: object) => one({ env: [{ name: 'A', ...fields }] })
  const scratch = (source: object) => ({ containers: one({}), volumes: [{ name: 'v', ...source }] })
  const probe = (handler: object) => ({ containers: one({ livenessProbe: { periodSeconds: 5, ...handler } }) })
  test.each([
    ['the strategy', { strategy: { type: 'Recreate' } }, { strategy: { type: 'RollingUpdate' } }],
    [
      'a variable',
      { template: { spec: { containers: env({ value: 'x' }) } } },
      { template: { spec: { containers: env({ valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }) } } },
    ],
    [
      'a volume',
      { template: { spec: scratch({ configMap: { name: 'c', optional: true } }) } },
      { template: { spec: scratch({ emptyDir: {} }) } },
    ],
    [
      'a probe',
      { template: { spec: probe({ exec: { command: ['true'] } }) } },
      { template: { spec: probe({ tcpSocket: { port: 80 } }) } },
    ],
  ])('that changes which of several fields is there is healed: %s', async (_what, spec, other) => {
    const made = JSON.parse(deployment('web')) as Deployment
    const { template } = made.spec
    const labelled = (fields: object) =>
      !('template' in fields) ? fields : { ...fields, template: { ...template, ...(fields.template as object) } }
    const files = { 'web/web.yaml': manifest({ ...made, spec: { ...made.spec, ...labelled(spec) } }) }
    lab = await startLab({ files })
    await lab.create(application('web', lab.repo, { automated: auto }))
    await lab.settled('web')
    const before = await lab.client.get(Deployment, shop('web'))
    const hand = lab.machine.client({ userAgent: 'kubectl-replace/v1.34' })
    await hand.update(Deployment, { ...before, spec: { ...before.spec, ...labelled(other) } } as Deployment)
    await lab.until(() => lab.gitops.driftLog('web').length === 1, 1000)
    await lab.settled('web')
    expect((await lab.find(Deployment, shop('web')))?.spec).toEqual(before.spec)
  })

  test('is no field that git does not own', async () => {
    await withWeb()
    const before = (await lab.app('web'))?.metadata.resourceVersion
    await lab.client.patch(
      Deployment,
      shop('web'),
      { metadata: { labels: { team: 'blue' }, annotations: { note: 'hi' } }, spec: { minReadySeconds: 1 } },
      merge,
    )
    await lab.client.patch(ConfigMap, shop('settings'), { data: { more: 'x' } }, merge)
    await lab.world.advance(5000)
    const app = await lab.app('web')
    expect(app?.status?.sync?.status).toBe('Synced')
    expect(lab.gitops.driftLog()).toEqual([])
    expect((await lab.find(ConfigMap, shop('settings')))?.data).toEqual({ key: 'a', more: 'x' })
    expect(app?.status?.operationState?.operation.sync?.autoHealAttemptsCount).toBeUndefined()
    expect(before).toBeDefined()
  })

  test('of a Secret never shows its values', async () => {
    lab = await startLab({
      files: {
        'web/s.yaml': manifest({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's' },
          stringData: { password: 'hunter2' },
        }),
      },
    })
    await lab.create(application('web', lab.repo, { automated: { prune: true } }))
    await lab.settled('web')
    await lab.client.patch(
      Secret,
      shop('s'),
      { data: { password: Buffer.from('stolen-secret').toString('base64') } },
      merge,
    )
    await lab.until(() => lab.gitops.driftLog().length === 1, 1000)
    expect(lab.gitops.driftLog()[0]?.fields).toMatchObject([
      { path: 'data.password', live: '++++++++', desired: '++++++++++++' },
    ])
    await lab.world.advance(2000)
    const text = JSON.stringify([lab.gitops.driftLog(), (await lab.client.list(Event)).items, await lab.app('web')])
    for (const secret of [
      'hunter2',
      'stolen-secret',
      Buffer.from('hunter2').toString('base64'),
      Buffer.from('stolen-secret').toString('base64'),
    ])
      expect(text).not.toContain(secret)
  })

  test('in ignored fields is none', async () => {
    lab = await startLab({ files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
    await lab.create(
      application('web', lab.repo, {
        automated: auto,
        more: { ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }] },
      }),
    )
    await lab.settled('web')
    await scale(5)
    await lab.world.advance(60_000)
    expect((await lab.find(Deployment, shop('web')))?.spec.replicas).toBe(5)
    expect((await lab.app('web'))?.status?.sync?.status).toBe('Synced')
  })
})

test('jq expressions say what is no drift; one that is wrong is told and ignores nothing', async () => {
  lab = await startLab({ files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
  const rule = (...jqPathExpressions: readonly string[]) => ({
    ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jqPathExpressions }],
  })
  const containers = '.spec.template.spec.containers[]'
  const more = rule(
    `${containers} | select(.name == "main") | .image`,
    '.spec.replicas',
    `${containers}.nothing[].here`,
  )
  await lab.create(application('web', lab.repo, { automated: auto, more }))
  await lab.settled('web')
  const [container] = (await lab.find(Deployment, shop('web')))?.spec.template.spec?.containers ?? []
  const spec = { replicas: 5, template: { spec: { containers: [{ name: container?.name, image: 'nginx:other' }] } } }
  await lab.client.patch(Deployment, shop('web'), { spec }, { type: 'application/strategic-merge-patch+json' })
  await lab.world.advance(30_000)
  const now = await lab.find(Deployment, shop('web'))
  expect([now?.spec.replicas, now?.spec.template.spec?.containers[0]?.image]).toEqual([5, 'nginx:other'])
  expect((await lab.app('web'))?.status).toMatchObject({ sync: { status: 'Synced' } })
  expect((await lab.app('web'))?.status?.conditions).toBeUndefined()
  const wrong = { spec: rule('.spec[') }
  await lab.client.patch(Application, { namespace: 'argocd', name: 'web' }, wrong, {
    type: 'application/merge-patch+json',
  })
  await lab.until(async () => (await lab.app('web'))?.status?.conditions?.[0] !== undefined)
  expect((await lab.app('web'))?.status?.conditions?.[0]?.message).toMatch(
    /^ignoreDifferences of Deployment: jq expression \.spec\[: /,
  )
  await lab.until(async () => (await lab.find(Deployment, shop('web')))?.spec.replicas === 3)
})

test('a copy of an object is no part of the application', async () => {
  await withWeb()
  const settings = await lab.client.get(ConfigMap, shop('settings'))
  const { resourceVersion: _v, uid: _u, creationTimestamp: _t, ...metadata } = settings.metadata
  await lab.client.create(ConfigMap, { ...settings, metadata: { ...metadata, name: 'copy' } })
  await lab.world.advance(5000)
  expect(await lab.find(ConfigMap, shop('copy'))).toBeDefined()
  expect((await lab.app('web'))?.status?.sync?.status).toBe('Synced')
})
