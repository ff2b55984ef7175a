// Applications whose destination is another cluster: a second machine in the same virtual time.

import { afterEach, expect, test } from 'vitest'
import { Application, ApplicationSet, ConfigMap, Deployment, Namespace, Pod, Secret } from '#kinds'
import type { JsonObject } from '#objects'
import type { SimulatedWorld } from '#world'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import {
  clusterSecret,
  forbidden,
  type Outside,
  outsideServer,
  startOutside,
  unauthorized,
  unreachable,
} from './outside-cluster.ts'
import { application, auto, configMap, deployment, type Lab, type LabOptions, startLab } from './reconciler.ts'

let lab: Lab
let outside: Outside

async function start(options: Omit<LabOptions, 'clusters'> & Parameters<typeof startOutside>[1] = {}): Promise<void> {
  const { contexts = [], trustsGit = false, ...rest } = options
  lab = await startLab({
    files: { 'web/web.yaml': deployment('web'), 'web/settings.yaml': configMap('settings', 'one') },
    ...rest,
    clusters: (world: SimulatedWorld) => {
      outside = startOutside(world, { contexts, trustsGit })
      return outside.access
    },
  })
}

afterEach(async () => {
  await outside.stop()
  await lab.stop()
})

const destination = { server: outsideServer, namespace: 'shop' }
const away = (name = 'web', more: object = {}): Application => {
  const app = application(name, lab.repo, { automated: auto, path: 'web', ...more })
  return { ...app, spec: { ...app.spec, destination } }
}

async function deployed(): Promise<void> {
  await lab.client.create(Secret, clusterSecret())
  await lab.create(away())
  await lab.settled('web')
}

const conditions = async (name = 'web'): Promise<readonly string[]> =>
  ((await lab.app(name))?.status?.conditions ?? []).map(({ type, message }) => `${type}: ${message}`)

const ref = { namespace: 'shop', name: 'settings' }
const settings = () => outside.find(ConfigMap, ref)

test('an application lives in the cluster that its destination names, and nowhere else', async () => {
  await start()
  await deployed()
  expect((await settings())?.data).toEqual({ key: 'one' })
  expect(await outside.find(Namespace, { name: 'shop' })).toBeDefined()
  expect(await lab.find(Namespace, { name: 'shop' })).toBeUndefined()
  const status = (await lab.app('web'))?.status
  expect(status).toMatchObject({ sync: { comparedTo: { destination } }, health: { status: 'Healthy' } })
  expect(status?.resources?.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'ConfigMap Synced',
    'Deployment Synced',
  ])
  await lab.commit({ 'web/settings.yaml': configMap('settings', 'two') })
  await lab.until(async () => (await settings())?.data?.['key'] === 'two')
  await lab.remove('web/settings.yaml')
  await lab.until(async () => (await settings()) === undefined)
})

test('what somebody changes there is found by a watch, told, and healed', async () => {
  await start()
  await deployed()
  await lab.world.advance(60_000)
  await outside.client.patch(ConfigMap, ref, { data: { key: 'by hand' } }, { type: 'application/merge-patch+json' })
  await lab.until(async () => (await settings())?.data?.['key'] === 'one', 10_000)
  expect(lab.gitops.driftLog('web')).toMatchObject([
    { kind: 'ConfigMap', fields: [{ path: 'data.key', live: 'by hand', desired: 'one', manager: 'homeostat' }] },
  ])
  await outside.client.delete(Deployment, { namespace: 'shop', name: 'web' })
  await lab.settled('web')
  expect(await outside.find(Deployment, { namespace: 'shop', name: 'web' })).toBeDefined()
})

test('nothing is asked again and again of a cluster in which nothing happens', async () => {
  await start()
  await deployed()
  await lab.world.advance(600_000)
  outside.requests.length = 0
  await lab.world.advance(100_000)
  const asked = outside.requests.filter(({ verb }) => verb !== 'watch').map(({ path, verb }) => path ?? verb)
  expect(new Set(asked)).toEqual(new Set(['/version']))
  expect(asked.length).toBeLessThan(12)
})

test('a cluster that is away makes its applications Unknown, keeps nobody else, and is gone on with when it is back', async () => {
  await start({
    files: { 'web/settings.yaml': configMap('settings', 'one'), 'here/here.yaml': configMap('here', 'one') },
  })
  await deployed()
  await lab.create(application('here', lab.repo, { automated: auto, syncOptions: ['CreateNamespace=true'] }))
  await lab.settled('here')
  outside.answer = () => unreachable
  outside.breakWatches()
  await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'Unknown', 60_000)
  expect(await conditions()).toEqual([
    `ComparisonError: Failed to load live state: failed to sync cluster ${outsideServer}: connect ECONNREFUSED 192.0.2.1:6443`,
  ])
  expect((await lab.app('web'))?.status?.health?.status).toBe('Unknown')
  await lab.commit({ 'here/here.yaml': configMap('here', 'two') })
  await lab.until(
    async () => (await lab.find(ConfigMap, { namespace: 'shop', name: 'here' }))?.data?.['key'] === 'two',
    5000,
  )
  await outside.client.patch(ConfigMap, ref, { data: { key: 'meanwhile' } }, { type: 'application/merge-patch+json' })
  outside.answer = undefined
  await lab.settled('web')
  expect((await settings())?.data).toEqual({ key: 'one' })
  expect(await conditions()).toEqual([])
})

test('a single request that fails is made good a moment later', async () => {
  await start({ files: { 'web/settings.yaml': configMap('settings', 'one') } })
  await deployed()
  let failed = 0
  outside.answer = ({ verb }) => (verb === 'patch' && failed++ === 0 ? unreachable : undefined)
  await outside.client.patch(ConfigMap, ref, { data: { key: 'by hand' } }, { type: 'application/merge-patch+json' })
  await lab.until(async () => (await settings())?.data?.['key'] === 'one', 10_000)
  expect(failed).toBeGreaterThan(1)
})

test('a cluster that never answers holds up no other application', async () => {
  await start({
    files: { 'web/settings.yaml': configMap('settings', 'one'), 'here/here.yaml': configMap('here', 'one') },
  })
  await deployed()
  outside.answer = ({ verb, path }) => (verb === 'patch' && path === undefined ? 'silence' : undefined)
  for (let index = 0; index < 30; index++) await lab.create(away(`more-${index}`))
  await lab.create(application('here', lab.repo, { automated: auto, syncOptions: ['CreateNamespace=true'] }))
  await lab.until(async () => (await lab.find(ConfigMap, { namespace: 'shop', name: 'here' })) !== undefined, 5000)
  outside.answer = () => unreachable
  await lab.until(async () => (await lab.app('more-29'))?.status?.sync?.status === 'Unknown', 60_000)
})

test.each([
  [
    'a token that is refused',
    () => unauthorized,
    /does not accept the credentials of the Secret argocd\/cluster-outside \(401 Unauthorized: Unauthorized\)$/,
  ],
  [
    'a kind that may not be listed',
    ({ resource, verb }: { resource?: { resource: string }; verb: string }) =>
      resource?.resource === 'configmaps' && verb === 'list'
        ? forbidden(
            'configmaps is forbidden: User "x" cannot list resource "configmaps" in API group "" at the cluster scope',
          )
        : undefined,
    /failed to load initial state of resource ConfigMap: configmaps is forbidden: User "x" cannot list/,
  ],
] as const)('%s is told, and heals', async (_name, answer, message) => {
  await start({ files: { 'web/settings.yaml': configMap('settings', 'one') } })
  await lab.client.create(Secret, clusterSecret())
  outside.answer = answer as Outside['answer']
  await lab.create(away())
  await lab.until(async () => (await conditions()).some((each) => message.test(each)))
  expect((await conditions())[0]).toMatch(/^ComparisonError: Failed to load live state: failed to sync cluster https:/)
  expect(JSON.stringify(await lab.app('web'))).not.toContain('secret-token')
  outside.answer = undefined
  await lab.settled('web')
})

test.each([
  [
    { name: 'outside', server: outsideServer },
    `application destination can't have both name and server defined: outside ${outsideServer}`,
  ],
  [{}, 'Destination server missing from app spec'],
  [{ name: 'nowhere' }, 'there are no clusters with this name: nowhere'],
  [
    { server: 'https://nowhere' },
    'error getting cluster by server "https://nowhere": cluster "https://nowhere" not found',
  ],
  [{ name: 'twice' }, 'there are 2 clusters with the same name: [https://a https://b]'],
])('a destination %j is a fault of the spec', async (named, message) => {
  await start()
  await lab.client.create(Secret, clusterSecret())
  for (const server of ['https://a', 'https://b']) {
    const secret = clusterSecret({ name: 'twice', server })
    await lab.client.create(Secret, { ...secret, metadata: { ...secret.metadata, name: server.slice(8) } })
  }
  const app = away()
  await lab.create({ ...app, spec: { ...app.spec, destination: { ...named, namespace: 'shop' } } })
  await lab.until(async () => (await conditions()).length > 0)
  expect(await conditions()).toEqual([`InvalidSpecError: ${message}`])
})

test('an application waits for the Secret of its cluster, and ends with it', async () => {
  await start()
  const app = away('web', { finalizer: true })
  await lab.create({ ...app, spec: { ...app.spec, destination: { name: 'outside', namespace: 'shop' } } })
  await lab.until(
    async () => (await conditions())[0] === 'InvalidSpecError: there are no clusters with this name: outside',
  )
  await lab.client.create(Secret, clusterSecret())
  await lab.settled('web')
  await lab.client.delete(Application, { namespace: 'argocd', name: 'web' })
  await lab.until(async () => (await lab.app('web')) === undefined)
  expect(await settings()).toBeUndefined()
  const secret = await lab.client.get(Secret, { namespace: 'argocd', name: 'cluster-outside' })
  expect(lab.gitops.clusters.describe(secret).connection).toEqual({
    status: 'Unknown',
    message: 'Cluster has no applications and is not being monitored.',
  })
  outside.requests.length = 0
  await lab.world.advance(60_000)
  expect(outside.requests).toEqual([])
})

test('an application that is deleted while its cluster is away waits for it', async () => {
  await start({ files: { 'web/settings.yaml': configMap('settings', 'one') } })
  await lab.client.create(Secret, clusterSecret())
  await lab.create(away('web', { finalizer: true }))
  await lab.settled('web')
  outside.answer = () => unreachable
  outside.breakWatches()
  await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'Unknown', 60_000)
  await lab.client.delete(Application, { namespace: 'argocd', name: 'web' })
  await lab.until(async () =>
    (await conditions()).some((each) => each.startsWith('DeletionError: failed to sync cluster')),
  )
  outside.answer = undefined
  await lab.until(async () => (await lab.app('web')) === undefined)
  expect(await settings()).toBeUndefined()
})

test('a cluster that a repository describes is not reached, unless the operator wants that', async () => {
  const files = {
    'web/settings.yaml': configMap('settings', 'one'),
    'clusters/secret.yaml': JSON.stringify({ ...clusterSecret(), type: 'Opaque' }),
  }
  await start({ files })
  await lab.create(application('clusters', lab.repo, { automated: auto, syncOptions: [] }))
  await lab.settled('clusters')
  await lab.create(away())
  await lab.until(async () => (await conditions()).length > 0)
  expect((await conditions())[0]).toMatch(
    /^ComparisonError: Failed to load live state: the Secret argocd\/cluster-outside comes from git \(application clusters\), and clusters that a repository describes are not reached unless homeostat is started with --clusters-from-git$/,
  )
  expect(outside.requests).toEqual([])
  await outside.stop()
  await lab.stop()
  await start({ files, trustsGit: true })
  await lab.create(application('clusters', lab.repo, { automated: auto, syncOptions: [] }))
  await lab.create(away())
  await lab.settled('web')
})

test('a repository takes neither the name nor the address of a cluster that is not its own', async () => {
  const builtIn = 'https://kubernetes.default.svc'
  const described = (name: string, fields: Readonly<Record<string, string>>) =>
    JSON.stringify({ ...clusterSecret({ name, ...fields }), type: 'Opaque' })
  const files = {
    'web/settings.yaml': configMap('settings', 'one'),
    'clusters/a.yaml': described('prod', { server: 'https://elsewhere.test' }),
    'clusters/b.yaml': described('a-prod', { config: JSON.stringify({ bearerToken: 'of-the-repository' }) }),
    'clusters/c.yaml': described('mine', { server: builtIn, namespaces: 'nowhere', config: '{}' }),
  }
  const connection = { server: outsideServer, namespace: 'default', token: () => 'of-the-operator' }
  await start({ files, contexts: [{ name: 'prod', connection, origin: 'the context prod of a file' }] })
  await lab.create(application('clusters', lab.repo, { automated: auto, syncOptions: [] }))
  await lab.settled('clusters')
  const app = away()
  await lab.create({ ...app, spec: { ...app.spec, destination: { name: 'prod', namespace: 'shop' } } })
  await lab.settled('web')
  expect((await settings())?.data).toEqual({ key: 'one' })
  const here = application('here', lab.repo, { automated: auto, path: 'web' })
  await lab.create({ ...here, spec: { ...here.spec, destination: { name: 'in-cluster', namespace: 'shop' } } })
  await lab.settled('here')
  expect((await lab.find(ConfigMap, ref))?.data).toEqual({ key: 'one' })
  const named = application('named', lab.repo, { path: 'web' })
  await lab.create({ ...named, spec: { ...named.spec, destination: { name: 'mine', namespace: 'shop' } } })
  await lab.until(async () => (await conditions('named')).length > 0)
  expect((await conditions('named'))[0]).toMatch(/there are no clusters with this name: mine/)
})

test('a context that the operator named is a destination by its name', async () => {
  const connection = { server: outsideServer, namespace: 'default', token: () => 'of-the-operator' }
  await start({ contexts: [{ name: 'prod', connection, origin: 'the context prod of a file' }] })
  const app = away()
  await lab.create({ ...app, spec: { ...app.spec, destination: { name: 'prod', namespace: 'shop' } } })
  await lab.settled('web')
  expect((await settings())?.data).toEqual({ key: 'one' })
})

test('a generator of clusters gives the contexts that were named, beside the built-in one', async () => {
  const connection = { server: outsideServer, namespace: 'default', token: () => 'of-the-operator' }
  await start({ contexts: [{ name: 'prod', connection, origin: 'the context prod of a file' }] })
  await lab.client.create(ApplicationSet, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { namespace: 'argocd', name: 'everywhere' },
    spec: {
      generators: [{ clusters: {} }],
      template: {
        metadata: { name: 'web-{{name}}' },
        spec: { ...away().spec, destination: { server: '{{server}}', namespace: 'shop' } } as unknown as JsonObject,
      },
    },
  })
  await lab.settled('web-prod')
  await lab.settled('web-in-cluster')
  expect((await settings())?.data).toEqual({ key: 'one' })
  expect((await lab.find(ConfigMap, ref))?.data).toEqual({ key: 'one' })
})

test('a definition that comes with its objects is found in the other cluster', async () => {
  const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, size: 1 }
  await start({
    files: { 'web/definition.yaml': JSON.stringify(definitionOf(Widget)), 'web/widget.yaml': JSON.stringify(widget) },
  })
  await lab.client.create(Secret, clusterSecret())
  await lab.create(
    away('web', { automated: { ...auto }, syncOptions: ['CreateNamespace=true', 'SkipDryRunOnMissingResource=true'] }),
  )
  await lab.settled('web')
})

test('where only some namespaces may be read, no other is asked for', async () => {
  await start({ files: { 'web/settings.yaml': configMap('settings', 'one') } })
  await outside.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} })
  outside.answer = ({ resource, namespace }) =>
    resource === undefined || namespace === 'shop' ? undefined : forbidden('only shop')
  await lab.client.create(Secret, clusterSecret({ namespaces: 'shop, other' }))
  outside.answer = ({ resource, namespace }) =>
    resource === undefined || namespace === 'shop' || namespace === 'other' ? undefined : forbidden('only shop')
  await lab.create(away('web', { syncOptions: [] }))
  await lab.settled('web')
  await outside.client.patch(ConfigMap, ref, { data: { key: 'by hand' } }, { type: 'application/merge-patch+json' })
  await lab.until(async () => (await settings())?.data?.['key'] === 'one', 10_000)
  const app = away('elsewhere')
  await lab.create({ ...app, spec: { ...app.spec, destination: { ...destination, namespace: 'third' } } })
  await lab.until(async () => (await conditions('elsewhere')).length > 0)
  expect((await conditions('elsewhere'))[0]).toContain('namespace "third" for ConfigMap "settings" is not managed')
})

test('pods of the other cluster are seen through it', async () => {
  await start()
  await deployed()
  const app = await lab.app('web')
  if (app === undefined) throw new Error('no application')
  const states = await lab.gitops.managedResources(app)
  expect(states.map(({ kind, live }) => [kind, live?.metadata.namespace])).toEqual([
    ['ConfigMap', 'shop'],
    ['Deployment', 'shop'],
  ])
  expect((await outside.client.list(Pod, { namespace: 'shop' })).items).toHaveLength(1)
})
