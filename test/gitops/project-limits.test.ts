// What a project does not let its applications do, object by object, whatever a repository says.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { Application, AppProject, ConfigMap, ServiceAccount } from '#kinds'
import { customKind, definitionOf } from '../support/custom-kinds.ts'
import { application, auto, configMap, type Lab, startLab } from './reconciler.ts'

let lab: Lab
const elsewhere = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'elsewhere', namespace: 'kube-system' },
})
beforeEach(async () => {
  lab = await startLab({ files: { 'web/a.yaml': configMap('a', '1'), 'web/elsewhere.yaml': elsewhere } })
})
afterEach(() => lab.stop())

const permit = (...namespaces: readonly string[]) =>
  lab.client.patch(
    AppProject,
    { namespace: 'argocd', name: 'default' },
    { spec: { destinations: namespaces.map((namespace) => ({ server: '*', namespace })) } },
    { type: 'application/merge-patch+json' },
  )
const there = async () => (await lab.find(ConfigMap, { namespace: 'kube-system', name: 'elsewhere' })) !== undefined
const status = async () => (await lab.app('web'))?.status

test('an object in a namespace that the project does not permit is refused, and synced when it is permitted', async () => {
  await permit('shop')
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.until(async () => (await status())?.operationState?.phase === 'Failed')
  const { results = [] } = { results: (await status())?.operationState?.syncResult?.resources }
  expect(results.find(({ name }) => name === 'elsewhere')).toMatchObject({
    status: 'SyncFailed',
    message: "namespace kube-system is not permitted in project 'default'",
  })
  expect(await there()).toBe(false)
  await permit('shop', 'kube-system')
  await lab.settled('web')
  expect(await there()).toBe(true)
})

const definition = JSON.stringify(definitionOf(customKind('Gadget')))
const annotated = (apiVersion: string, kind: string, name: string, annotations: Readonly<Record<string, string>>) =>
  JSON.stringify({ apiVersion, kind, metadata: { name, namespace: 'kube-system', annotations } })
const skips = { 'argocd.argoproj.io/sync-options': 'SkipDryRunOnMissingResource=true' }
const hook = { 'argocd.argoproj.io/hook': 'PreSync', ...skips }

test.each([
  ['an object without a dry run', { 'web/x.yaml': annotated('v1', 'ConfigMap', 'x', skips) }],
  ['a hook without a dry run', { 'web/x.yaml': annotated('v1', 'ConfigMap', 'x', hook) }],
  [
    'a kind that git defines',
    { 'web/c.yaml': definition, 'web/x.yaml': annotated('example.com/v1', 'Gadget', 'x', {}) },
  ],
  [
    'a kind that git defines, without a dry run',
    { 'web/c.yaml': definition, 'web/x.yaml': annotated('example.com/v1', 'Gadget', 'x', skips) },
  ],
])('no option and no definition leads around the project: %s', async (_what, files) => {
  await permit('shop')
  await lab.remove('web/elsewhere.yaml')
  // A hook alone is no reason to sync.
  await lab.commit({ 'web/a.yaml': configMap('a', '2'), ...files })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.until(async () => (await status())?.operationState?.phase === 'Failed')
  const results = (await status())?.operationState?.syncResult?.resources ?? []
  expect(results.find(({ name }) => name === 'x')).toMatchObject({
    status: 'SyncFailed',
    message: "namespace kube-system is not permitted in project 'default'",
  })
  expect(await lab.find(ConfigMap, { namespace: 'kube-system', name: 'x' })).toBeUndefined()
})

test('what is no longer permitted is neither compared, pruned, nor deleted with the application', async () => {
  await lab.create(application('web', lab.repo, { automated: auto, finalizer: true }))
  await lab.settled('web')
  await permit('shop')
  await lab.remove('web/elsewhere.yaml')
  await lab.until(async () => (await status())?.resources?.length === 1)
  await lab.world.advance(60_000)
  expect(await there()).toBe(true)
  expect((await status())?.sync?.status).toBe('Synced')
  await lab.client.delete(Application, { namespace: 'argocd', name: 'web' })
  await lab.until(async () => (await lab.app('web')) === undefined)
  expect(await there()).toBe(true)
  expect(await lab.find(ConfigMap, { namespace: 'shop', name: 'a' })).toBeUndefined()
})

test('an application outside of argocd uses projects of argocd alone, and only those that name its namespace', async () => {
  const everything = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }] }
  for (const name of ['default', 'own'])
    await lab.client.create(AppProject, {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      metadata: { namespace: 'kube-public', name },
      spec: { ...everything, sourceNamespaces: ['*'] },
    })
  const outside = (name: string, project: string): Application => {
    const app = application(name, lab.repo, { automated: auto, path: 'web' })
    return { ...app, metadata: { ...app.metadata, namespace: 'kube-public' }, spec: { ...app.spec, project } }
  }
  await lab.client.create(Application, outside('web', 'default'))
  await lab.client.create(Application, outside('other', 'own'))
  const told = async (name: string) =>
    (await lab.find(Application, { namespace: 'kube-public', name }))?.status?.conditions?.map(({ message }) => message)
  await lab.until(async () => (await told('web')) !== undefined && (await told('other')) !== undefined)
  expect(await told('web')).toEqual([
    "application 'web' in namespace 'kube-public' is not allowed to use project default: its spec.sourceNamespaces must name the namespace",
  ])
  expect(await told('other')).toEqual(['Application referencing project own which does not exist'])
  expect(await there()).toBe(false)
  await lab.client.patch(
    AppProject,
    { namespace: 'argocd', name: 'default' },
    { spec: { sourceNamespaces: ['kube-*'] } },
    { type: 'application/merge-patch+json' },
  )
  await lab.until(there)
})

test('a kind that the project forbids is not taken away either', async () => {
  await lab.commit({
    'web/account.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } }),
  })
  await lab.create(application('web', lab.repo, { automated: auto }))
  await lab.settled('web')
  await lab.client.patch(
    AppProject,
    { namespace: 'argocd', name: 'default' },
    { spec: { namespaceResourceBlacklist: [{ group: '', kind: 'ServiceAccount' }] } },
    { type: 'application/merge-patch+json' },
  )
  await lab.remove('web/account.yaml')
  await lab.until(async () => (await status())?.resources?.length === 2)
  await lab.world.advance(60_000)
  expect(await lab.find(ServiceAccount, { namespace: 'shop', name: 'bot' })).toBeDefined()
})
