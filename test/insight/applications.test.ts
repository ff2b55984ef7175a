// What is told of applications and of what git says of objects: the cause is named, not whatever stands beside it.

import { afterEach, expect, test } from 'vitest'
import { causeOf, explain, type Finding } from '#insight'
import { Application, ConfigMap, Deployment, type Kind, Secret } from '#kinds'
import {
  clusterSecret,
  type Outside,
  outsideServer,
  startOutside,
  unauthorized,
  unreachable,
} from '../gitops/outside-cluster.ts'
import { application, auto, configMap, deployment, type Lab, startLab } from '../gitops/reconciler.ts'

let lab: Lab
let outside: Outside | undefined
afterEach(async () => {
  await outside?.stop()
  outside = undefined
  await lab.stop()
})

const explained = (kind: Kind, name: string, namespace = 'argocd'): Promise<readonly Finding[]> =>
  explain(lab.client, kind, { namespace, name })
const conditionsOf = async (name: string): Promise<string> =>
  ((await lab.app(name))?.status?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`).join('\n')
const dependent = (...names: readonly string[]) => ({
  automated: auto,
  syncOptions: ['CreateNamespace=true', ...names.map((name) => `DependsOn=${name}`)],
})

test.each([
  ['does not answer', unreachable, 'ECONNREFUSED'],
  ['lets nobody in', unauthorized, 'credentials'],
])('an outside cluster that %s is the cause, not the repository', async (_what, answer, reason) => {
  lab = await startLab({
    files: { 'web/a.yaml': configMap('a', '1') },
    clusters: (world) => {
      outside = startOutside(world)
      return outside.access
    },
  })
  const app = application('web', lab.repo, { automated: auto })
  await lab.client.create(Secret, clusterSecret())
  await lab.create({ ...app, spec: { ...app.spec, destination: { server: outsideServer, namespace: 'shop' } } })
  await lab.settled('web')
  if (outside !== undefined) outside.answer = () => answer
  outside?.breakWatches()
  await lab.until(async () => (await conditionsOf('web')).includes('Failed to load live state'))
  const [finding] = await explained(Application, 'web')
  expect(finding).toMatchObject({ state: 'stuck', loop: `cluster ${outsideServer}` })
  expect(finding?.gap).toContain(outsideServer)
  expect(finding?.gap).toContain(reason)
  expect(finding?.advice).toMatch(/cluster runs.+credentials/)
  expect(JSON.stringify(finding)).not.toMatch(/repository/)
})

test('an application that waits for others says for which, and what these wait for', async () => {
  lab = await startLab({
    files: {
      'db/db.yaml': deployment('db', { image: 'registry.invalid/nope' }),
      'api/api.yaml': configMap('api', '1'),
      'web/web.yaml': configMap('web', '1'),
    },
  })
  await lab.create(application('web', lab.repo, dependent('api')))
  await lab.create(application('api', lab.repo, dependent('db')))
  await lab.until(async () => (await conditionsOf('api')).includes('db, which does not exist'))
  const missing = await explained(Application, 'api')
  expect(missing[0]).toMatchObject({ state: 'stuck', loop: 'whoever makes this Application' })
  expect(causeOf(missing)).toMatchObject({ object: 'Application argocd/db', gap: 'it does not exist' })
  await lab.create(application('db', lab.repo, { automated: auto }))
  await lab.until(async () => (await conditionsOf('web')).includes('waiting for application api, which is OutOfSync'))
  await lab.until(async () => (await explained(Application, 'web')).at(-1)?.object.startsWith('Pod ') === true)
  const findings = await explained(Application, 'web')
  expect(findings[0]?.gap).toBe('Automated sync is waiting for application api, which is OutOfSync')
  expect(findings.map(({ object, depth = 0 }) => `${depth} ${object.replace(/db-\S+/, 'db-…')}`)).toEqual([
    '0 Application argocd/web',
    '1 Application argocd/api',
    '2 Application argocd/db',
    '3 Deployment shop/db',
    '4 Pod shop/db-…',
  ])
  expect(findings[0]?.loop).toBe(findings.at(-1)?.loop)
  expect(findings[0]?.loop).toMatch(/^kubelet on /)
})

test('applications that wait for one another say so, and do not wait for each other', async () => {
  lab = await startLab({ files: { 'a/a.yaml': configMap('a', '1'), 'b/b.yaml': configMap('b', '1') } })
  await lab.create(application('a', lab.repo, dependent('b')))
  await lab.create(application('b', lab.repo, dependent('a')))
  await lab.until(async () => (await conditionsOf('a')).includes('leads in a circle'))
  const findings = await explained(Application, 'a')
  expect(findings).toHaveLength(1)
  expect(findings[0]).toMatchObject({ state: 'stuck', gap: expect.stringMatching(/circle: a → b → a\. Take it away/) })
})

test('a sync that somebody asked for names the application that it waits for', async () => {
  lab = await startLab({ files: { 'web/web.yaml': configMap('web', '1'), 'db/db.yaml': configMap('db', '1') } })
  const { automated: _, ...byHand } = dependent('db')
  await lab.create(application('db', lab.repo))
  await lab.create(application('web', lab.repo, byHand))
  await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'OutOfSync')
  await lab.sync('web')
  await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Running')
  const findings = await explained(Application, 'web')
  expect(findings[0]?.gap).toMatch(/waiting for application db/)
  expect(findings[0]?.loop).toBe('you: automated sync is off')
  expect(causeOf(findings)?.object).toBe('Application argocd/db')
})

test('an object whose newer version the cluster refuses says so, and why', async () => {
  lab = await startLab({ files: { 'web/web.yaml': deployment('web', { image: 'registry.invalid/nope' }) } })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.until(async () => (await lab.find(Deployment, { namespace: 'shop', name: 'web' })) !== undefined)
  await lab.commit({
    'web/web.yaml': deployment('web', { replicas: -1 }),
    'web/new.yaml': deployment('new', { replicas: -2 }),
  })
  await lab.until(async () => (await conditionsOf('web')).includes('the cluster refuses Deployment shop/web'))
  const findings = await explained(Deployment, 'web', 'shop')
  expect(causeOf(findings)).toBe(findings[0])
  expect(findings[0]).toMatchObject({ state: 'stuck', object: 'Deployment shop/web' })
  expect(findings[0]?.gap).toMatch(/newer version.+refuses.+spec\.replicas: Invalid value: -1/s)
  expect(findings[0]?.advice).toContain('web/web.yaml:1:1')
  // The trouble of the version that is there is told too.
  expect(findings.at(-1)?.object).toMatch(/^Pod shop\/web-/)
  await lab.until(async () => (await lab.app('web'))?.status?.operationState?.phase === 'Failed')
  const [app] = await explained(Application, 'web')
  expect(app?.gap).toMatch(/differs from git in 2 of 2 resources: web\/\S+: the cluster refuses Deployment/)
  expect(app?.advice).toBe('Correct it in git: the next commit is compared at once.')
  const [missing] = await explained(Deployment, 'new', 'shop')
  expect(missing?.gap).toMatch(/it does not exist: git has it, and the cluster refuses it: .+-2/s)
  await expect(explained(Deployment, 'other', 'shop')).rejects.toThrow(/not found/)
})

test('what git says of an object and nobody has synced is told beside it', async () => {
  lab = await startLab({ files: { 'web/web.yaml': deployment('web') } })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  const { metadata, spec } = (await lab.app('web')) ?? application('web', lab.repo)
  await lab.client.update(Application, {
    ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata },
    spec: { ...spec, syncPolicy: {} },
  })
  await lab.commit({ 'web/web.yaml': deployment('web', { replicas: 2 }), 'web/new.yaml': deployment('new') })
  await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'OutOfSync')
  const [finding] = await explained(Deployment, 'web', 'shop')
  expect(finding?.evidence.at(-1)).toMatch(/^Application argocd\/web is OutOfSync here: .+homeostat app diff web/)
  const missing = await explained(Deployment, 'new', 'shop')
  expect(missing[0]).toMatchObject({ state: 'stuck', loop: 'you: automated sync is off' })
  expect(missing[0]?.gap).toContain('Application argocd/web has it in git')
})

test('what a refused object would become keeps its defaults and what others own', async () => {
  lab = await startLab({ files: { 'web/web.yaml': deployment('web', { replicas: 3 }) } })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  await lab.commit({ 'web/web.yaml': deployment('web', { replicas: -1, image: 'nginx:1.28' }) })
  await lab.until(async () => (await conditionsOf('web')).includes('the cluster refuses'))
  const app = await lab.app('web')
  const [state] = app === undefined ? [] : await lab.gitops.managedResources(app)
  expect(state?.refusal).toContain('spec.replicas')
  const spec = (object: unknown) => (object as Deployment | undefined)?.spec
  const [live, predicted] = [spec(state?.live), spec(state?.predicted)]
  const [was, becomes] = [live?.template.spec?.containers[0], predicted?.template.spec?.containers[0]]
  expect(predicted).toEqual({ ...live, replicas: -1, template: predicted?.template })
  expect(becomes).toEqual({ ...was, image: 'nginx:1.28' })
  expect(becomes?.terminationMessagePath).toBe('/dev/termination-log')
})

test('who changed what git says otherwise is told field by field, and that somebody deleted it', async () => {
  lab = await startLab({ files: { 'web/web.yaml': deployment('web'), 'web/kept.yaml': configMap('kept', '1') } })
  await lab.create(application('web', lab.repo, { automated: {} }))
  await lab.settled('web')
  const asked = (kind: Kind, name: string) =>
    explain(lab.client, kind, { namespace: 'shop', name, changes: (app) => lab.gitops.driftLog(app) })
  expect(JSON.stringify(await asked(Deployment, 'web'))).not.toContain('in git')
  const merge = { type: 'application/merge-patch+json', fieldManager: 'ann' } as const
  await lab.client.patch(Deployment, { namespace: 'shop', name: 'web' }, { spec: { replicas: 4 } }, merge)
  await lab.client.delete(ConfigMap, { namespace: 'shop', name: 'kept' })
  await lab.until(() => lab.gitops.driftLog().length === 2)
  const [finding] = await asked(Deployment, 'web')
  expect(finding?.evidence.at(-1)).toMatch(/^spec\.replicas is 4, and 1 in git: ann wrote it at \d{4}-.+Z$/)
  const [gone] = await asked(ConfigMap, 'kept')
  expect(gone?.gap).toContain('nobody has made it again')
  expect(gone?.evidence).toEqual([expect.stringMatching(/^somebody deleted it; seen at \d{4}-.+Z$/)])
})
