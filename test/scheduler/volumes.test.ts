// Volumes of claims that wait for their first pod: which they get, when the pod is bound, and what is said if they get none.

import { afterEach, describe, expect, it } from 'vitest'
import { CoreV1Event, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '#kinds'
import type { TestMachine } from '../support/machine.ts'
import { namespace, startCluster } from './cluster.ts'

const merge = { type: 'application/merge-patch+json' } as const
const selectedNode = 'volume.kubernetes.io/selected-node'
let test: TestMachine

afterEach(() => test.stop())

/** `local` has the volumes that are there; nobody makes volumes of `slow`. */
async function cluster(): Promise<void> {
  test = await startCluster(2)
  const { client } = test
  for (const [name, provisioner] of [
    ['local', 'kubernetes.io/no-provisioner'],
    ['slow', 'kubernetes.io/nobody'],
  ] as const)
    await client.create(StorageClass, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
    })
}

const volume = (
  name: string,
  storage: string,
  mode: 'ReadWriteOnce' | 'ReadWriteOncePod' = 'ReadWriteOnce',
): Promise<PersistentVolume> =>
  test.client.create(PersistentVolume, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: [mode],
      storageClassName: 'local',
      local: { path: '/mnt/disk' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-1'] }] },
          ],
        },
      },
    },
  })

const claim = (name: string, storage: string, storageClassName: string): Promise<PersistentVolumeClaim> =>
  test.client.create(PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
  })

const create = (name: string, ...claims: readonly string[]): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      containers: [{ name: 'app', image: 'nginx' }],
      volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
    },
  })

const find = (name: string) => test.client.get(Pod, { namespace, name })
const claimOf = (name: string) => test.client.get(PersistentVolumeClaim, { namespace, name })
const nodeOf = async (name: string) => (await find(name)).spec.nodeName
const scheduled = async (name: string) =>
  (await find(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')
const failures = async (name: string) =>
  (
    await test.client.list(CoreV1Event, {
      namespace,
      fieldSelector: `involvedObject.name=${name},reason=FailedScheduling`,
    })
  ).items.map(({ message }) => message)
const selectedFor = async (name: string) => (await claimOf(name)).metadata.annotations?.[selectedNode]

describe('volumes of claims that wait for their first pod', () => {
  it('are those that are there, the smallest claim first, and no node is written to the claims', async () => {
    await cluster()
    for (const i of [1, 2, 3]) await volume(`disk-${i}`, `${i}Gi`)
    await claim('large', '2Gi', 'local')
    await claim('small', '1Gi', 'local')
    await claim('tiny', '1Mi', 'local')
    await test.world.advance(1000)
    await create('db', 'large', 'small', 'tiny')
    await test.until(async () => (await nodeOf('db')) === 'node-1', { limitMs: 60_000 })
    const claims = (await test.client.list(PersistentVolumeClaim, { namespace })).items
    expect(claims.map(({ metadata, spec }) => [metadata.name, spec?.volumeName])).toEqual([
      ['large', 'disk-3'],
      ['small', 'disk-2'],
      ['tiny', 'disk-1'],
    ])
    expect(claims.map(({ metadata }) => metadata.annotations?.[selectedNode])).toEqual(claims.map(() => undefined))
  })

  it('are looked at once a second until they are bound, and the pod is bound only then', async () => {
    await cluster()
    await volume('disk', '1Gi')
    await claim('data', '1Gi', 'local')
    await test.world.advance(1000)
    await create('db', 'data')
    const isGiven = async () => (await test.client.get(PersistentVolume, { name: 'disk' })).spec?.claimRef !== undefined
    await test.until(isGiven)
    const givenAt = test.world.clock.now()
    await test.until(async () => (await claimOf('data')).status?.phase === 'Bound', { limitMs: 900 })
    expect(await nodeOf('db')).toBeUndefined()
    await test.until(async () => (await nodeOf('db')) === 'node-1', { limitMs: 1100 })
    expect(test.world.clock.now() - givenAt).toBeGreaterThanOrEqual(900)
    expect(await failures('db')).toEqual([])
  })

  it('that nobody makes after all are told of, and looked for anew', async () => {
    await cluster()
    await claim('data', '1Gi', 'slow')
    await test.world.advance(1000)
    await create('db', 'data')
    await test.until(async () => (await selectedFor('data')) !== undefined)
    const metadata = { annotations: { [selectedNode]: null, 'example.com/kept': 'yes' } }
    await test.client.patch(PersistentVolumeClaim, { namespace, name: 'data' }, { metadata }, merge)
    await test.until(async () => (await scheduled('db')) !== undefined, { limitMs: 1500 })
    const message = 'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"'
    expect(await scheduled('db')).toMatchObject({ status: 'False', reason: 'SchedulerError', message })
    await test.until(async () => (await selectedFor('data')) !== undefined, { limitMs: 5000 })
    expect(await failures('db')).toEqual([message])
  })

  it('are waited for ten minutes', async () => {
    await cluster()
    await claim('data', '1Gi', 'slow')
    await test.world.advance(1000)
    await create('db', 'data')
    await test.until(async () => (await selectedFor('data')) !== undefined)
    await test.world.advance(595_000)
    expect(await failures('db')).toEqual([])
    await test.until(async () => (await failures('db')).length > 0, { limitMs: 10_000 })
    expect(await failures('db')).toEqual([
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    ])
  })
})

describe('a claim that only one pod may use', () => {
  it('is in use from the moment that a pod with it is given a node', async () => {
    await cluster()
    await test.client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'single', namespace },
      spec: {
        accessModes: ['ReadWriteOncePod'],
        storageClassName: 'local',
        volumeName: 'disk',
        resources: { requests: { storage: '1Gi' } },
      },
    })
    await volume('disk', '1Gi', 'ReadWriteOncePod')
    await test.until(async () => (await claimOf('single')).status?.phase === 'Bound')
    const names = ['a', 'b', 'c']
    await Promise.all(names.map((name) => create(name, 'single')))
    await test.world.advance(2000)
    const placed = (await Promise.all(names.map(nodeOf))).filter((node) => node !== undefined)
    expect(placed).toEqual(['node-1'])
  })
})
