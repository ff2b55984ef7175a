import { afterEach, describe, expect, test } from 'vitest'
import { Application, AppProject, ConfigMap, Deployment, Namespace, type OrphanedResources, ReplicaSet } from '#kinds'
import { orphansOf, orphanWarning, strayMap } from './orphan-view.ts'
import { application, auto, configMap, deployment, type Lab, startLab } from './reconciler.ts'

let lab: Lab
afterEach(() => lab.stop())

const merge = { type: 'application/merge-patch+json' } as const
const project = { namespace: 'argocd', name: 'default' }
const setOrphaned = (orphanedResources: OrphanedResources | null, more: object = {}) =>
  lab.client.patch(AppProject, project, { spec: { orphanedResources, ...more } }, merge)

const warning = (name: string) => orphanWarning(lab, name)
const listed = (name: string) => orphansOf(lab, name)

async function shopWithApps(...names: readonly string[]): Promise<void> {
  lab = await startLab({ files: Object.fromEntries(names.map((name) => [`${name}/a.yaml`, configMap(name, '1')])) })
  for (const name of names) {
    await lab.create(application(name, lab.repo, { automated: auto }))
    await lab.settled(name)
  }
}

describe('orphaned resources', () => {
  test('are told as they come and go, with what they made', async () => {
    await shopWithApps('web')
    await lab.client.create(ConfigMap, strayMap('stray'))
    await setOrphaned({ warn: true })
    await lab.until(async () => (await warning('web')) === 'Application has 1 orphaned resources')
    expect(await listed('web')).toEqual(['ConfigMap stray'])
    await lab.client.create(Deployment, {
      ...JSON.parse(deployment('tool')),
      metadata: { namespace: 'shop', name: 'tool' },
    })
    await lab.until(async () => (await warning('web')) === 'Application has 4 orphaned resources')
    const kinds = (await listed('web')).map((text) => text.split(' ')[0])
    expect(kinds).toEqual(['ConfigMap', 'Deployment', 'Pod', 'ReplicaSet'])
    await lab.client.delete(Deployment, { namespace: 'shop', name: 'tool' }, { propagationPolicy: 'Foreground' })
    await lab.client.delete(ConfigMap, { namespace: 'shop', name: 'stray' })
    await lab.until(async () => (await warning('web')) === undefined)
    expect(await listed('web')).toEqual([])
  })

  test('are listed without a warning where none is wanted, and not at all where the project does not ask', async () => {
    await shopWithApps('web')
    await lab.client.create(ConfigMap, strayMap('stray'))
    await setOrphaned({})
    await lab.until(async () => (await listed('web')).length === 1)
    await lab.world.advance(5000)
    expect(await warning('web')).toBeUndefined()
    await setOrphaned({ warn: true })
    await lab.until(async () => (await warning('web')) !== undefined)
    await setOrphaned(null)
    await lab.until(async () => (await warning('web')) === undefined)
    expect(await listed('web')).toEqual([])
  })

  test("leave out what is ignored or not permitted, and every namespace's own", async () => {
    await shopWithApps('web')
    for (const name of ['stray', 'temp-1', 'temp-2']) await lab.client.create(ConfigMap, strayMap(name))
    await setOrphaned({ warn: true, ignore: [{ kind: 'Config*', name: 'temp-*' }] })
    await lab.until(async () => (await warning('web')) === 'Application has 1 orphaned resources')
    expect(await listed('web')).toEqual(['ConfigMap stray'])
    await setOrphaned({ warn: true }, { namespaceResourceBlacklist: [{ group: '', kind: 'ConfigMap' }] })
    await lab.until(async () => (await warning('web')) === undefined)
  })

  test('are none of another application, but become some when it goes without its objects', async () => {
    await shopWithApps('web', 'api')
    await setOrphaned({ warn: true })
    await lab.client.create(
      ConfigMap,
      strayMap('copy', { annotations: { 'argocd.argoproj.io/tracking-id': 'api:/ConfigMap:shop/api' } }),
    )
    await lab.world.advance(5000)
    expect([await warning('web'), await listed('web')]).toEqual([undefined, []])
    await lab.client.delete(Application, { namespace: 'argocd', name: 'api' })
    await lab.until(async () => (await warning('web')) === 'Application has 2 orphaned resources')
    expect(await listed('web')).toEqual(['ConfigMap api', 'ConfigMap copy'])
  })

  test('are nothing that git wants, though it is not tracked yet', async () => {
    lab = await startLab({ files: { 'web/a.yaml': configMap('mine', '1') } })
    await lab.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' }, spec: {} })
    await lab.client.create(ConfigMap, strayMap('mine'))
    await lab.client.create(ConfigMap, strayMap('stray'))
    await setOrphaned({ warn: true })
    await lab.create(application('web', lab.repo))
    await lab.until(async () => (await warning('web')) === 'Application has 1 orphaned resources')
    expect(await listed('web')).toEqual(['ConfigMap stray'])
  })
})

test('a namespace is looked through once for all its applications, and not for what they do themselves', async () => {
  const names = Array.from({ length: 30 }, (_, number) => `app-${number}`)
  await shopWithApps(...names)
  await setOrphaned({ warn: true })
  await lab.client.create(ConfigMap, strayMap('stray'))
  await lab.until(async () => (await warning('app-29')) === 'Application has 1 orphaned resources')
  const looks = () =>
    lab.machine.runtime.figures().loops.find(({ name }) => name === 'orphaned-resources')?.reconciles ?? 0
  const before = looks()
  await lab.client.create(ConfigMap, strayMap('another'))
  await lab.until(async () => (await warning('app-0')) === 'Application has 2 orphaned resources')
  await lab.world.advance(3000)
  expect(looks() - before).toBeLessThanOrEqual(3)
  const after = looks()
  await lab.commit({ 'app-0/b.yaml': deployment('web') })
  await lab.settled('app-0')
  await lab.until(async () => (await lab.client.list(ReplicaSet, { namespace: 'shop' })).items.length === 1)
  expect(looks()).toBe(after)
  for (const name of names) expect(await warning(name)).toBe('Application has 2 orphaned resources')
})
