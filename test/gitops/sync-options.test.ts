// Sync options, of an Application and of a single object.

import { afterEach, describe, expect, test } from 'vitest'
import { Application, ConfigMap, CustomResourceDefinition, Deployment, Namespace, ReplicaSet } from '#kinds'
import { formatTime, type KubeObject } from '#objects'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import { application, auto, configMap, deployment, type Lab, manifest, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const shop = (name: string) => ({ namespace: 'shop', name })
const web = { namespace: 'argocd', name: 'web' }
const merge = { type: 'application/merge-patch+json' } as const
const kubectl = () => lab.machine.client({ userAgent: 'kubectl/v1.34' })
const option = (text: string) => ({ 'argocd.argoproj.io/sync-options': text })
const approve = () =>
  lab.patch('web', {
    metadata: { annotations: { 'argocd.argoproj.io/deletion-approved': formatTime(lab.world.clock.now()) } },
  })
const operation = async () => (await lab.app('web'))?.status?.operationState
const resource = async (name: string) =>
  (await operation())?.syncResult?.resources?.find((each) => each.name === name)?.message

async function start(files: Readonly<Record<string, string>>, syncOptions: readonly string[] = []): Promise<void> {
  lab = await startLab({ files })
  const options = { automated: auto, finalizer: true, syncOptions: ['CreateNamespace=true', ...syncOptions] }
  await lab.create(application('web', lab.repo, options))
}

describe('what has to be approved', () => {
  const asking = { 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1', option('Prune=confirm')) }

  test('is not pruned before, nor by an approval of earlier; the resource says so', async () => {
    await start(asking)
    await lab.settled('web')
    expect((await lab.app('web'))?.status?.resources).toMatchObject([
      { name: 'a' },
      { name: 'b', requiresDeletionConfirmation: true },
    ])
    await approve()
    await lab.world.advance(5000)
    await lab.remove('web/b.yaml')
    await lab.until(async () => (await operation())?.message === 'waiting for pruning confirmation of /ConfigMap/b')
    await lab.world.advance(60_000)
    expect(await lab.find(ConfigMap, shop('b'))).toBeDefined()
    await approve()
    await lab.until(async () => (await lab.find(ConfigMap, shop('b'))) === undefined)
    await lab.settled('web')
  })

  test.each(['Delete=confirm', 'Prune=confirm'])('is not deleted with the application before (%s)', async (text) => {
    await start({ 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1', option(text)) })
    await lab.settled('web')
    await lab.client.delete(Application, web)
    await lab.world.advance(60_000)
    expect(await lab.find(ConfigMap, shop('a'))).toBeDefined()
    expect((await lab.app('web'))?.status?.conditions?.map(({ message }) => message)).toEqual([
      'waiting for the approval of deleting ConfigMap shop/b: annotate the Application with argocd.argoproj.io/deletion-approved: <time, RFC 3339>',
    ])
    await approve()
    await lab.until(async () => (await lab.app('web')) === undefined)
    expect(await lab.find(ConfigMap, shop('a'))).toBeUndefined()
  })

  test('of a whole application, but for an object that says otherwise', async () => {
    await start({ 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1', option('Prune=true')) }, [
      'Prune=confirm',
    ])
    await lab.settled('web')
    await lab.commit({ 'web/c.yaml': configMap('c', '1') })
    await lab.settled('web')
    await lab.remove('web/b.yaml')
    await lab.until(async () => (await lab.find(ConfigMap, shop('b'))) === undefined)
    await lab.settled('web')
    await lab.remove('web/a.yaml')
    await lab.until(async () => (await operation())?.message === 'waiting for pruning confirmation of /ConfigMap/a')
  })
})

test('Validate=false applies what has unknown fields', async () => {
  const odd = (name: string, annotations: object) =>
    manifest({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, annotations, labels: { team: 'blue' } },
      dat: { a: '1' },
    })
  await start({ 'web/a.yaml': odd('a', option('Validate=false')), 'web/b.yaml': odd('b', {}) })
  await lab.until(async () => (await operation())?.retryCount === 1)
  expect([await resource('a'), await resource('b')]).toEqual([
    undefined,
    expect.stringContaining('.dat: field not declared in schema'),
  ])
  await lab.remove('web/b.yaml')
  await lab.settled('web')
  expect((await lab.find(ConfigMap, shop('a')))?.metadata.labels).toEqual({ team: 'blue' })
})

test('SkipDryRunOnMissingResource=true lets the others come first when a kind is not there yet', async () => {
  const widget = (annotations: object) =>
    manifest({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', annotations } })
  await start({ 'web/a.yaml': configMap('a', '1'), 'web/w.yaml': widget({}) })
  await lab.until(async () => (await operation())?.retryCount === 1)
  expect(await lab.find(ConfigMap, shop('a'))).toBeUndefined()
  await lab.commit({ 'web/w.yaml': widget(option('SkipDryRunOnMissingResource=true')) })
  await lab.until(async () => (await lab.find(ConfigMap, shop('a'))) !== undefined)
  await lab.client.create(CustomResourceDefinition, definitionOf(Widget))
  await lab.until(async () => (await lab.find(Widget, shop('w'))) !== undefined)
  await lab.settled('web')
})

test('ApplyOutOfSyncOnly=true applies what differs alone, and writes history', async () => {
  await start({ 'web/a.yaml': configMap('a', '1'), 'web/b.yaml': configMap('b', '1') }, ['ApplyOutOfSyncOnly=true'])
  await lab.settled('web')
  await lab.commit({ 'web/b.yaml': configMap('b', '2') })
  await lab.until(async () => (await lab.find(ConfigMap, shop('b')))?.data?.['key'] === '2')
  const { status } = await lab.settled('web')
  expect(status?.operationState?.syncResult?.resources?.map(({ name }) => name)).toEqual(['b'])
  expect(status?.history).toHaveLength(2)
})

test.each([
  ['orphan', 1],
  ['background', 0],
])('PrunePropagationPolicy=%s leaves %i ReplicaSets of a pruned Deployment', async (policy, left) => {
  const files = { 'web/a.yaml': configMap('a', '1'), 'web/web.yaml': deployment('web') }
  await start(files, [`PrunePropagationPolicy=${policy}`])
  await lab.settled('web')
  await lab.remove('web/web.yaml')
  await lab.until(async () => (await lab.find(Deployment, shop('web'))) === undefined)
  await lab.world.advance(60_000)
  expect((await lab.client.list(ReplicaSet, { namespace: 'shop' })).items).toHaveLength(left)
})

test('Replace=true takes away what others have added', async () => {
  await start({ 'web/a.yaml': configMap('a', '1', option('Replace=true')), 'web/b.yaml': configMap('b', '1') })
  await lab.settled('web')
  for (const name of ['a', 'b']) await kubectl().patch(ConfigMap, shop(name), { data: { more: 'x' } }, merge)
  await lab.commit({ 'web/a.yaml': configMap('a', '2', option('Replace=true')), 'web/b.yaml': configMap('b', '2') })
  await lab.until(async () => (await lab.find(ConfigMap, shop('b')))?.data?.['key'] === '2')
  await lab.settled('web')
  const data = async (name: string) => (await lab.find(ConfigMap, shop(name)))?.data
  expect([await data('a'), await data('b')]).toEqual([{ key: '2' }, { key: '2', more: 'x' }])
})

describe('a field that cannot be changed', () => {
  const selecting = (app: string, annotations: object = {}) => {
    const made = JSON.parse(deployment('web', { annotations })) as Deployment
    const labels = { app }
    const template = { ...made.spec.template, metadata: { labels } }
    return manifest({ ...made, spec: { ...made.spec, selector: { matchLabels: labels }, template } })
  }
  const uid = async () => (await lab.find(Deployment, shop('web')))?.metadata.uid

  test.each(['Force=true', 'Force=true,Replace=true'])('is changed by making the object anew: %s', async (text) => {
    await start({ 'web/web.yaml': selecting('one', option(text)) })
    await lab.settled('web')
    const before = await uid()
    await lab.commit({ 'web/web.yaml': selecting('two', option(text)) })
    await lab.until(async () => (await lab.find(Deployment, shop('web')))?.spec.selector.matchLabels?.['app'] === 'two')
    await lab.settled('web')
    expect(await uid()).not.toBe(before)
  })

  test('fails the sync, unless the operation says force', async () => {
    lab = await startLab({ files: { 'web/web.yaml': selecting('one') } })
    await lab.create(application('web', lab.repo))
    await lab.sync('web')
    await lab.settled('web')
    const before = await uid()
    await lab.commit({ 'web/web.yaml': selecting('two') })
    await lab.sync('web')
    await lab.until(async () => (await operation())?.phase === 'Failed')
    expect(await uid()).toBe(before)
    await lab.sync('web', { sync: { syncStrategy: { hook: { force: true } } } })
    await lab.settled('web')
    expect(await uid()).not.toBe(before)
  })
})

describe('what was made by kubectl apply', () => {
  const labels = async () => (await lab.find(ConfigMap, shop('a')))?.metadata.labels
  const byHand = async (manager: string) => {
    await lab.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} })
    const object: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...shop('a'), labels: { old: 'x' }, annotations: {} },
      data: { key: '0' },
    }
    const note = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object) }
    const metadata = { ...object.metadata, annotations: note }
    await lab.client.create(ConfigMap, { ...object, metadata }, { fieldManager: manager })
  }

  test.each([
    ['kubectl-client-side-apply', {}, [], undefined],
    ['kubectl-client-side-apply', {}, ['ClientSideApplyMigration=false'], { old: 'x' }],
    ['helm', {}, [], { old: 'x' }],
    ['helm', { 'argocd.argoproj.io/client-side-apply-migration-manager': 'helm' }, [], undefined],
  ] as const)("of %s becomes git's with %j %j", async (manager, annotations, options, expected) => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1', annotations) } })
    await byHand(manager)
    await lab.create(application('web', lab.repo, { automated: auto, syncOptions: options }))
    await lab.settled('web')
    expect(await labels()).toEqual(expected)
    expect((await lab.find(ConfigMap, shop('a')))?.data).toEqual({ key: '1' })
  })
})

test('managedNamespaceMetadata is put on the namespace that is made', async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1') } })
  const syncPolicy = { automated: auto, syncOptions: ['CreateNamespace=true'] }
  const managed = { labels: { team: 'blue' }, annotations: { note: 'x' } }
  const more = { syncPolicy: { ...syncPolicy, managedNamespaceMetadata: managed } }
  await lab.create(application('web', lab.repo, { more }))
  await lab.settled('web')
  const made = await lab.find(Namespace, { name: 'shop' })
  expect(made?.metadata).toMatchObject(managed)
  expect((made as KubeObject).metadata.annotations).not.toHaveProperty(['argocd.argoproj.io/tracking-id'])
})
