// Orphaned resources in a cluster that is not the built-in one.

import { afterEach, expect, test } from 'vitest'
import { Application, AppProject, ConfigMap, CustomResourceDefinition, Deployment, Namespace, Secret } from '#kinds'
import type { AnyObject } from '#objects'
import type { SimulatedWorld } from '#world'
import { definitionOf, Widget } from '../support/custom-kinds.ts'
import { orphansOf, orphanWarning, strayMap } from './orphan-view.ts'
import { clusterSecret, forbidden, type Outside, outsideServer, startOutside, unreachable } from './outside-cluster.ts'
import { application, auto, configMap, deployment, type Lab, startLab } from './reconciler.ts'

let lab: Lab
let outside: Outside

afterEach(async () => {
  await outside.stop()
  await lab.stop()
})

const merge = { type: 'application/merge-patch+json' } as const
const monitor = () =>
  lab.client.patch(
    AppProject,
    { namespace: 'argocd', name: 'default' },
    { spec: { orphanedResources: { warn: true } } },
    merge,
  )

const warning = (name: string) => orphanWarning(lab, name)
const listed = (name: string) => orphansOf(lab, name)

/** One application there, in the namespace `shop`, and one here in a namespace of that name. */
async function start(fields: Readonly<Record<string, string>> = {}): Promise<void> {
  lab = await startLab({
    files: { 'web/a.yaml': configMap('web', '1'), 'here/a.yaml': configMap('here', '1') },
    clusters: (world: SimulatedWorld) => {
      outside = startOutside(world)
      return outside.access
    },
  })
  await outside.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} })
  await lab.client.create(Secret, clusterSecret(fields))
  const app = application('web', lab.repo, { automated: auto, syncOptions: [] })
  await lab.create({ ...app, spec: { ...app.spec, destination: { server: outsideServer, namespace: 'shop' } } })
  await lab.create(application('here', lab.repo, { automated: auto }))
  await lab.settled('web')
  await lab.settled('here')
}

test('orphans of an outside cluster are told as they come and go, by the applications there alone', async () => {
  await start()
  await outside.client.create(ConfigMap, strayMap('stray'))
  await monitor()
  await lab.until(async () => (await warning('web')) === 'Application has 1 orphaned resources')
  expect(await listed('web')).toEqual(['ConfigMap stray'])
  await outside.client.create(Deployment, {
    ...JSON.parse(deployment('tool')),
    metadata: { namespace: 'shop', name: 'tool' },
  })
  await lab.until(async () => (await warning('web')) === 'Application has 4 orphaned resources')
  await lab.client.create(ConfigMap, strayMap('elsewhere'))
  await lab.until(async () => (await warning('here')) === 'Application has 1 orphaned resources')
  expect(await listed('here')).toEqual(['ConfigMap elsewhere'])
  await outside.client.delete(Deployment, { namespace: 'shop', name: 'tool' }, { propagationPolicy: 'Foreground' })
  await outside.client.delete(ConfigMap, { namespace: 'shop', name: 'stray' })
  await lab.until(async () => (await warning('web')) === undefined)
  expect(await listed('web')).toEqual([])
})

test('nothing is read for it before a project asks, and no new object makes a look where an application made it', async () => {
  await start()
  const kinds = () =>
    new Set(outside.requests.flatMap(({ verb, resource }) => (verb === 'list' ? [resource?.resource] : [])))
  expect(kinds().has('cronjobs')).toBe(false)
  await monitor()
  await lab.until(async () => kinds().has('cronjobs'))
  await lab.world.advance(10_000)
  const looks = () =>
    lab.machine.runtime.figures().loops.find(({ name }) => name === 'orphaned-resources')?.reconciles ?? 0
  const before = looks()
  await lab.commit({ 'web/b.yaml': deployment('more') })
  await lab.settled('web')
  await lab.world.advance(5000)
  expect(looks()).toBe(before)
})

test('custom resources there are orphans too, and so is what an application left behind', async () => {
  await start()
  await monitor()
  await outside.client.create(CustomResourceDefinition, definitionOf(Widget))
  const made = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'shop', name: 'stray' } }
  await lab.world.advance(5000)
  await outside.client.create(Widget, made as AnyObject)
  await lab.until(async () => (await listed('web')).includes('Widget stray'), 60_000)
  const other = application('other', lab.repo, { automated: auto, path: 'here' })
  await lab.create({ ...other, spec: { ...other.spec, destination: { server: outsideServer, namespace: 'shop' } } })
  await lab.settled('other')
  expect(await listed('web')).toEqual(['Widget stray'])
  await lab.client.delete(Application, { namespace: 'argocd', name: 'other' })
  await lab.until(async () => (await listed('web')).includes('ConfigMap here'))
})

test('what the cluster does not let be listed is named, and the rest is looked at', async () => {
  await start()
  outside.answer = ({ verb, resource }) =>
    verb === 'list' && resource?.resource === 'secrets' ? forbidden('secrets is forbidden') : undefined
  await outside.client.create(ConfigMap, strayMap('stray'))
  await monitor()
  await lab.until(
    async () =>
      (await warning('web')) ===
      'Application has 1 orphaned resources, as far as can be seen: the cluster does not let Secret be listed',
  )
})

test('a cluster that is away says nothing new of its orphans, and is looked through when it is back', async () => {
  await start()
  await monitor()
  await outside.client.create(ConfigMap, strayMap('stray'))
  await lab.until(async () => (await warning('web')) !== undefined)
  outside.answer = () => unreachable
  outside.breakWatches()
  await lab.until(async () => (await lab.app('web'))?.status?.sync?.status === 'Unknown', 60_000)
  await outside.client.create(ConfigMap, strayMap('another'))
  outside.answer = undefined
  await lab.until(async () => (await warning('web')) === 'Application has 2 orphaned resources', 60_000)
})

test('where only some namespaces may be read, those alone are looked through', async () => {
  await start({ namespaces: 'shop' })
  await monitor()
  await outside.client.create(ConfigMap, strayMap('stray'))
  await lab.until(async () => (await warning('web')) === 'Application has 1 orphaned resources')
  const unscoped = outside.requests.filter(
    ({ verb, resource, namespace }) => verb === 'list' && resource?.resource === 'cronjobs' && namespace === undefined,
  )
  expect(unscoped).toEqual([])
})
