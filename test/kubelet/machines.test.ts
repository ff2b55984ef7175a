// Machines under the nodes: they are started anew, stay away for an hour, and offer devices; storage that does not answer.

import { afterEach, describe, expect, it } from 'vitest'
import { Fault, Lease, Node, NodeProfile, PersistentVolumeClaim, Pod, StorageClass } from '#kinds'
import { type KubeObject, parseTime } from '#objects'
import { type NodeTest, namespace, nodeTest } from './cluster.ts'

let test: NodeTest
afterEach(() => test.stop())

const merge = { type: 'application/merge-patch+json' } as const
const containerOf = async (name: string) => (await test.get(name))?.status?.containerStatuses?.[0]
const renewedAt = async (name = 'node-0') =>
  parseTime((await test.client.get(Lease, { namespace: 'kube-node-lease', name })).spec.renewTime) ?? 0

describe('a reboot', () => {
  it('ends all containers, and its node runs them again', async () => {
    test = await nodeTest()
    await test.pod('web')
    await test.pod('job', {
      restartPolicy: 'Never',
      containers: [{ name: 'app', image: 'nginx', command: ['sleep', '9999'] }],
    })
    await test.until(async () => (await test.isReady('web')) && (await test.isReady('job')))
    const before = await test.node()
    await test.fault('power', { nodeReboot: { downSeconds: 70 } })
    await test.world.advance(60_000)
    expect((await test.client.get(Fault, { name: 'power' })).status).toMatchObject({ phase: 'Rebooting', reboots: 1 })
    expect((await test.node()).status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('Unknown')
    expect((await containerOf('web'))?.restartCount).toBe(0)
    await test.until(async () => (await containerOf('web'))?.restartCount === 1 && (await test.isReady('web')))
    const web = await containerOf('web')
    expect(web?.lastState?.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' })
    expect(await test.events('web')).toContain('SandboxChanged: Pod sandbox changed, it will be killed and re-created.')
    expect((await test.get('job'))?.status?.phase).toBe('Failed')
    const after = await test.node()
    const bootID = after.status?.nodeInfo?.bootID
    expect(bootID).not.toBe(before.status?.nodeInfo?.bootID)
    expect(await test.events('node-0')).toContain(`Rebooted: Node node-0 has been rebooted, boot id: ${bootID}`)
    await test.world.advance(600_000)
    expect((await containerOf('web'))?.restartCount).toBe(1)
    expect((await test.client.get(Fault, { name: 'power' })).status).toMatchObject({ phase: 'Active', reboots: 1 })
  })

  it('comes again as often as it is asked for, and is over with its Fault', async () => {
    test = await nodeTest()
    await test.pod('web')
    await test.until(() => test.isReady('web'))
    await test.fault('power', { nodeReboot: { downSeconds: 10, everySeconds: 120 } })
    await test.until(async () => (await containerOf('web'))?.restartCount === 2)
    await test.until(async () => (await test.client.get(Fault, { name: 'power' })).status?.reboots === 3)
    await test.client.delete(Fault, { name: 'power' })
    await test.until(async () => (await containerOf('web'))?.restartCount === 3 && (await test.isReady('web')))
  })
})

describe('a node that is cordoned', () => {
  it('says so when its kubelet notices, and when it takes pods again', async () => {
    test = await nodeTest()
    const cordon = (unschedulable: boolean) =>
      test.client.patch(Node, { name: 'node-0' }, { spec: { unschedulable } }, merge)
    const told = async () => (await test.events('node-0')).filter((text) => text.includes('chedulable'))
    await cordon(true)
    await test.world.advance(11_000)
    expect(await told()).toEqual(['NodeNotSchedulable: Node node-0 status is now: NodeNotSchedulable'])
    await cordon(false)
    await test.world.advance(11_000)
    expect(await told()).toContain('NodeSchedulable: Node node-0 status is now: NodeSchedulable')
  })
})

describe('a node that is away', () => {
  it('converges an hour later', async () => {
    test = await nodeTest({ nodes: 2 })
    const here = {
      nodeSelector: { 'kubernetes.io/hostname': 'node-0' },
      tolerations: [{ operator: 'Exists' as const }],
    }
    await test.pod('stays', here)
    await test.pod('goes', here)
    await test.until(async () => (await test.isReady('stays')) && (await test.isReady('goes')))
    const before = await containerOf('stays')
    await test.fault('away', { nodeOffline: { nodes: ['node-0'] } })
    await test.world.advance(1000)
    await test.client.delete(Pod, { namespace, name: 'goes' })
    await test.pod('comes', { ...here, nodeName: 'node-0' })
    await test.world.advance(3_600_000)
    expect((await test.get('goes'))?.metadata.deletionTimestamp).toBeDefined()
    expect((await test.get('comes'))?.status?.phase).toBe('Pending')
    await test.client.delete(Fault, { name: 'away' })
    await test.until(async () => (await test.get('goes')) === undefined && (await test.isReady('comes')))
    await test.until(() => test.isReady('stays'))
    expect(await containerOf('stays')).toEqual(before)
  })

  it.each([1, 2, 3])('stays silent when the whole process begins anew (seed %d)', async (seed) => {
    test = await nodeTest({ nodes: 2, seed })
    await test.fault('away', { nodeOffline: { nodes: ['node-0'] } })
    await test.world.advance(60_000)
    const silentSince = await renewedAt()
    const { status } = await test.node()
    test.machine.restart()
    await test.world.advance(60_000)
    expect(await renewedAt()).toBe(silentSince)
    expect((await test.node()).status).toEqual(status)
    expect(await renewedAt('node-1')).toBeGreaterThan(silentSince + 60_000)
    await test.client.delete(Fault, { name: 'away' })
    await test.until(async () => (await renewedAt()) > silentSince)
  })
})

describe('devices of a node', () => {
  const asking = (amount: string, resource = 'example.com/gpu') => ({
    nodeName: 'node-0',
    containers: [{ name: 'app', image: 'nginx', resources: { limits: { [resource]: amount } } }],
  })

  it('are offered, counted, and taken away again', async () => {
    test = await nodeTest()
    await test.nodeProfile('gpus', { resources: { 'example.com/gpu': 2 } })
    await test.until(async () => (await test.node()).status?.allocatable?.['example.com/gpu'] === '2')
    await test.pod('one', asking('2'))
    await test.until(() => test.isReady('one'))
    await test.pod('two', asking('1'))
    await test.until(async () => (await test.get('two'))?.status?.phase === 'Failed')
    expect((await test.get('two'))?.status).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message:
        'Pod was rejected: Allocate failed due to requested number of devices unavailable for example.com/gpu. ' +
        'Requested: 1, Available: 0, which is unexpected',
    })
    await test.client.delete(NodeProfile, { name: 'gpus' })
    await test.until(async () => (await test.node()).status?.capacity?.['example.com/gpu'] === '0')
  })

  it('may be written into the capacity by hand', async () => {
    test = await nodeTest()
    const status = { capacity: { 'example.com/dongle': '4' } }
    await test.client.patch(Node, { name: 'node-0' }, { status }, { ...merge, subresource: 'status' })
    await test.until(async () => (await test.node()).status?.allocatable?.['example.com/dongle'] === '4')
    await test.pod('one', asking('3', 'example.com/dongle'))
    await test.until(() => test.isReady('one'))
    await test.world.advance(600_000)
    expect((await test.node()).status?.capacity?.['example.com/dongle']).toBe('4')
  })

  it('leave room for the overhead of pods', async () => {
    test = await nodeTest({ nodes: [{ name: 'node-0', capacity: { cpu: '2', memory: '8Gi', pods: '110' } }] })
    const cpu = { resources: { requests: { cpu: '1' } } }
    const runtimeClasses = {
      group: 'node.k8s.io',
      version: 'v1',
      kind: 'RuntimeClass',
      resource: 'runtimeclasses',
      namespaced: false,
    }
    await test.client.create<KubeObject & { readonly handler: string; readonly overhead: object }>(runtimeClasses, {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'kata' },
      handler: 'kata',
      overhead: { podFixed: { cpu: '1500m' } },
    })
    await test.pod('heavy', {
      nodeName: 'node-0',
      runtimeClassName: 'kata',
      overhead: { cpu: '1500m' },
      containers: [{ name: 'app', image: 'nginx', ...cpu }],
    })
    await test.until(async () => (await test.get('heavy'))?.status?.phase === 'Failed')
    expect((await test.get('heavy'))?.status?.reason).toBe('OutOfcpu')
  })
})

describe('storage that does not answer', () => {
  it('keeps volumes from being attached until it does', async () => {
    test = await nodeTest()
    await test.client.create(StorageClass, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'disk.example',
      volumeBindingMode: 'WaitForFirstConsumer',
    })
    await test.client.create(PersistentVolumeClaim, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        resources: { requests: { storage: '1Gi' } },
      },
    })
    const fails = { storage: ['disk.*'], message: 'rpc error: code = Internal desc = no path' }
    await test.fault('attach', { storageFailing: { ...fails, step: 'attach' } })
    await test.pod('db', {
      containers: [{ name: 'app', image: 'nginx', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
    })
    const says = async (text: RegExp) => (await test.events('db')).some((line) => text.test(line))
    await test.until(() =>
      says(
        /^FailedAttachVolume: AttachVolume.Attach failed for volume "pvc-.*" : rpc error: code = Internal desc = no path$/,
      ),
    )
    await test.fault('mount', { storageFailing: fails })
    await test.client.delete(Fault, { name: 'attach' })
    await test.until(() =>
      says(/^FailedMount: MountVolume.MountDevice failed for volume "pvc-.*" : rpc error.*no path$/),
    )
    await test.client.delete(Fault, { name: 'mount' })
    await test.until(() => test.isReady('db'))
  })

  it('keeps an NFS server from being mounted', async () => {
    test = await nodeTest()
    await test.fault('nfs', { storageFailing: { storage: ['nfs.example'] } })
    const pod = await test.pod('web', {
      containers: [{ name: 'app', image: 'nginx', volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      volumes: [{ name: 'v', nfs: { server: 'nfs.example', path: '/srv' } }],
    })
    const path = `/var/lib/kubelet/pods/${pod.metadata.uid}/volumes/kubernetes.io~nfs/v`
    await test.until(async () =>
      (await test.events('web')).includes(
        `FailedMount: MountVolume.SetUp failed for volume "v" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs nfs.example:/srv ${path}\nOutput: mount.nfs: Connection timed out\n`,
      ),
    )
    await test.client.delete(Fault, { name: 'nfs' })
    await test.until(() => test.isReady('web'))
  })
})
