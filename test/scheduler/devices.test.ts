// Dynamic resource allocation: claims from templates, devices by class, selector and constraint, and giving them back.

import { afterEach, describe, expect, it } from 'vitest'
import { type ApiHandler, refusal } from '#api'
import {
  CoreV1Event,
  DeviceClass,
  type DeviceRequest,
  Node,
  Pod,
  ResourceV1ResourceClaim as ResourceClaim,
  type ResourceClaimSpec,
  ResourceClaimTemplate,
  ResourceSlice,
} from '#kinds'
import type { TestMachine, TestMachineOptions } from '../support/machine.ts'
import { namespace, startCluster } from './cluster.ts'

const driver = 'gpu.example.com'
const apiVersion = 'resource.k8s.io/v1'
let test: TestMachine

afterEach(() => test.stop())

/** Two nodes with two devices each, `small` and `large`, of different versions and memory. */
async function cluster(options: TestMachineOptions = {}): Promise<void> {
  test = await startCluster(2, options)
  const { client } = test
  await client.create(DeviceClass, {
    apiVersion,
    kind: 'DeviceClass',
    metadata: { name: 'gpu' },
    spec: {
      selectors: [{ cel: { expression: `device.driver == "${driver}"` } }],
      config: [{ opaque: { driver, parameters: { mode: 'shared' } as never } }],
    },
  })
  for (const i of [0, 1])
    await client.create(ResourceSlice, {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: `slice-${i}` },
      spec: {
        driver,
        nodeName: `node-${i}`,
        pool: { name: `node-${i}`, generation: 1, resourceSliceCount: 1 },
        devices: ['small', 'large'].map((model, n) => ({
          name: model,
          attributes: { model: { string: model }, firmware: { version: `1.${i}.0` }, bus: { int: n } },
          capacity: { memory: { value: model === 'large' ? '80Gi' : '16Gi' } },
        })),
      },
    })
}

const exactly = (selector?: string, more: Partial<DeviceRequest['exactly']> = {}): DeviceRequest => ({
  name: 'gpu',
  exactly: {
    deviceClassName: 'gpu',
    ...(selector === undefined ? {} : { selectors: [{ cel: { expression: selector } }] }),
    ...more,
  },
})

const createClaim = (name: string, devices: NonNullable<ResourceClaimSpec['devices']>): Promise<ResourceClaim> =>
  test.client.create(ResourceClaim, {
    apiVersion,
    kind: 'ResourceClaim',
    metadata: { name, namespace },
    spec: { devices },
  })

const createPod = (
  name: string,
  { nodeName, ...claim }: { resourceClaimName?: string; resourceClaimTemplateName?: string; nodeName?: string },
): Promise<Pod> =>
  test.client.create(Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace },
    spec: {
      ...(nodeName === undefined ? {} : { nodeName }),
      terminationGracePeriodSeconds: 1,
      resourceClaims: [{ name: 'gpu', ...claim }],
      containers: [{ name: 'app', image: 'nginx', resources: { claims: [{ name: 'gpu' }] } }],
    },
  })

const findPod = (name: string) => test.find(Pod, { namespace, name })
const findClaim = (name: string) => test.find(ResourceClaim, { namespace, name })
const nodeOf = async (name: string) => (await findPod(name))?.spec.nodeName
const messageOf = async (name: string) =>
  (await findPod(name))?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message
const devicesOf = async (name: string) =>
  (await findClaim(name))?.status?.allocation?.devices?.results?.map(({ request, pool, device }) => [
    request,
    pool,
    device,
  ])

describe('devices', () => {
  it('are allocated to a claim, which is reserved for its pod, and given back with it', async () => {
    await cluster()
    await createClaim('mine', {
      requests: [
        exactly(
          `device.attributes["${driver}"].firmware.isGreaterThan(semver("1.0.5")) && device.capacity["${driver}"].memory.compareTo(quantity("40Gi")) > 0`,
        ),
      ],
    })
    await createPod('user', { resourceClaimName: 'mine' })
    await test.until(async () => (await findPod('user'))?.status?.phase === 'Running')
    expect(await nodeOf('user')).toBe('node-1')
    const claim = await findClaim('mine')
    expect(claim?.metadata.finalizers).toEqual(['resource.kubernetes.io/delete-protection'])
    expect(claim?.status).toEqual({
      allocation: {
        devices: {
          results: [{ request: 'gpu', driver, pool: 'node-1', device: 'large' }],
          config: [{ source: 'FromClass', requests: ['gpu'], opaque: { driver, parameters: { mode: 'shared' } } }],
        },
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }] }],
        },
      },
      reservedFor: [{ resource: 'pods', name: 'user', uid: (await findPod('user'))?.metadata.uid }],
    })
    await test.client.delete(Pod, { namespace, name: 'user' })
    await test.until(async () => (await findClaim('mine'))?.status?.allocation === undefined)
    expect((await findClaim('mine'))?.metadata.finalizers ?? []).toEqual([])
  })

  it('of templates come and go with their pods, one for each', async () => {
    await cluster()
    await test.client.create(ResourceClaimTemplate, {
      apiVersion,
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'template', namespace },
      spec: { spec: { devices: { requests: [exactly()] } } },
    })
    for (const i of [0, 1, 2, 3, 4]) await createPod(`p-${i}`, { resourceClaimTemplateName: 'template' })
    const placed = async () => (await test.client.list(Pod, { namespace })).items.filter(({ spec }) => spec.nodeName)
    await test.until(async () => (await placed()).length === 4)
    const { items } = await test.client.list(ResourceClaim, { namespace })
    expect(items.map(({ metadata }) => metadata.annotations?.['resource.kubernetes.io/pod-claim-name'])).toEqual(
      Array(5).fill('gpu'),
    )
    expect(
      new Set(
        items.flatMap(({ status }) => status?.allocation?.devices?.results?.map((r) => `${r.pool}/${r.device}`) ?? []),
      ).size,
    ).toBe(4)
    // The pod is told of its claim by one who applies that much, and keeps it whatever else is written.
    const told = await test.client.get(Pod, { namespace, name: 'p-0' }, { managedFields: true })
    expect(told.metadata.managedFields?.filter(({ operation }) => operation === 'Apply')).toMatchObject([
      {
        manager: 'ResourceClaimController',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:resourceClaimStatuses': { 'k:{"name":"gpu"}': { 'f:resourceClaimName': {} } } } },
      },
    ])
    const waiting =
      (await test.client.list(Pod, { namespace })).items.find(({ spec }) => !spec.nodeName)?.metadata.name ?? ''
    await test.until(async () => (await messageOf(waiting)) !== undefined)
    expect(await messageOf(waiting)).toBe(
      '0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    )
    await test.client.delete(Pod, { namespace, name: (await placed())[0]?.metadata.name ?? '' })
    await test.until(async () => (await nodeOf(waiting)) !== undefined, { limitMs: 30_000 })
    await test.until(async () => (await test.client.list(ResourceClaim, { namespace })).items.length === 4)
  })

  it('may be one of several alternatives, and match one another', async () => {
    await cluster()
    const select = (expression: string) => ({ deviceClassName: 'gpu', selectors: [{ cel: { expression } }] })
    await createClaim('either', {
      requests: [
        {
          name: 'any',
          firstAvailable: [
            { name: 'huge', ...select(`device.attributes["${driver}"].model == "huge"`) },
            { name: 'big', ...select(`device.attributes["${driver}"].model == "large"`) },
          ],
        },
      ],
    })
    await createPod('a', { resourceClaimName: 'either' })
    await test.until(async () => (await nodeOf('a')) !== undefined)
    expect((await devicesOf('either'))?.map(([request, , device]) => [request, device])).toEqual([['any/big', 'large']])

    await createClaim('pair', {
      requests: [exactly(undefined, { count: 2 })],
      constraints: [{ matchAttribute: `${driver}/firmware` }],
    })
    await createPod('b', { resourceClaimName: 'pair' })
    await test.until(async () => (await nodeOf('b')) !== undefined)
    expect(await nodeOf('b')).not.toBe(await nodeOf('a'))

    await createClaim('same-model', {
      requests: [exactly(undefined, { count: 2 })],
      constraints: [{ matchAttribute: `${driver}/model` }],
    })
    await createPod('c', { resourceClaimName: 'same-model' })
    await test.until(async () => (await messageOf('c')) !== undefined)
    expect(await messageOf('c')).toContain('2 cannot allocate all claims.')
  })

  it('can be shared, on the node where they are', async () => {
    await cluster()
    await createClaim('shared', { requests: [exactly()] })
    for (const name of ['a', 'b', 'c']) await createPod(name, { resourceClaimName: 'shared' })
    await test.until(async () => (await Promise.all(['a', 'b', 'c'].map(nodeOf))).every((node) => node !== undefined))
    expect(new Set(await Promise.all(['a', 'b', 'c'].map(nodeOf))).size).toBe(1)
    expect((await findClaim('shared'))?.status?.reservedFor).toHaveLength(3)
    // One that somebody else than the scheduler gives its node is let in all the same.
    const made = await createPod('d', { resourceClaimName: 'shared', nodeName: (await nodeOf('a')) ?? '' })
    await test.until(async () => (await findPod('d'))?.status?.phase === 'Running')
    const { reservedFor = [] } = (await findClaim('shared'))?.status ?? {}
    expect(reservedFor.map(({ uid }) => uid)).toContain(made.metadata.uid)
  })

  it('that cannot be had are told by what is missing', async () => {
    await cluster()
    await createClaim('odd', { requests: [exactly(undefined, { deviceClassName: 'absent' })] })
    await createPod('no-class', { resourceClaimName: 'odd' })
    await test.until(async () => (await messageOf('no-class')) !== undefined)
    expect(await messageOf('no-class')).toBe(
      '0/2 nodes are available: request gpu: device class absent does not exist. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    )
    await createClaim('broken', { requests: [exactly(`device.attributes["${driver}"].nothing == "x"`)] })
    await createPod('error', { resourceClaimName: 'broken' })
    await test.until(async () => (await messageOf('error')) !== undefined)
    expect(await messageOf('error')).toBe(
      'running "DynamicResources" filter plugin: claim demo/broken: selector #0: CEL runtime error: no such key: nothing',
    )
    // A pod whose claim is not there is not even tried.
    await createPod('early', { resourceClaimName: 'later' })
    await createPod('lost', { resourceClaimTemplateName: 'absent' })
    await test.world.advance(20_000)
    expect([await messageOf('early'), await messageOf('lost')]).toEqual([undefined, undefined])
    const { items } = await test.client.list(CoreV1Event, { namespace, fieldSelector: 'involvedObject.name=lost' })
    expect(items.map(({ reason, message }) => [reason, message])).toContainEqual([
      'FailedResourceClaimCreation',
      'PodResourceClaim gpu: resource claim template "absent": resourceclaimtemplate.resource.k8s.io "absent" not found',
    ])
    await createClaim('later', { requests: [exactly()] })
    await test.until(async () => (await nodeOf('early')) !== undefined)
  })

  it('that are where the pod does not fit are given back, and others are taken', async () => {
    await cluster()
    await createClaim('moved', { requests: [exactly()] })
    await createPod('first', { resourceClaimName: 'moved' })
    await test.until(async () => (await nodeOf('first')) !== undefined)
    const before = (await nodeOf('first')) ?? ''
    // The claim keeps its devices, as one that was allocated without a pod would.
    const claim = await findClaim('moved')
    await test.client.updateStatus(ResourceClaim, {
      ...claim,
      status: { allocation: claim?.status?.allocation },
    } as ResourceClaim)
    await test.client.patch(
      Node,
      { name: before },
      { spec: { unschedulable: true } },
      { type: 'application/merge-patch+json' },
    )
    await test.world.advance(1000)
    await createPod('second', { resourceClaimName: 'moved' })
    await test.until(async () => (await nodeOf('second')) !== undefined, { limitMs: 30_000 })
    expect(await nodeOf('second')).not.toBe(before)
    const { items } = await test.client.list(CoreV1Event, { namespace, fieldSelector: 'involvedObject.name=second' })
    expect(items.find(({ reason }) => reason === 'FailedScheduling')?.message).toBe(
      '0/2 nodes are available: 1 node(s) were unschedulable, 1 resourceclaim not available on the node. deallocation of ResourceClaim completed, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    )
  })

  it('that go wake nobody who waits for some, and those that come do', async () => {
    await cluster()
    const attempts = () => test.machine.residents.scheduler.lastAttempt(`${namespace}/p`)?.waiting?.attempts
    await createClaim('huge', { requests: [exactly(`device.attributes["${driver}"].model == "huge"`)] })
    await test.world.advance(1000)
    await createPod('p', { resourceClaimName: 'huge' })
    await test.until(() => attempts() === 1)
    await test.client.delete(ResourceSlice, { name: 'slice-0' })
    // Nor does what is said of the claim beside its status.
    const change = { metadata: { labels: { a: 'b' } } }
    const merge = { type: 'application/merge-patch+json' } as const
    await test.client.patch(ResourceClaim, { namespace, name: 'huge' }, change, merge)
    await test.world.advance(20_000)
    expect(attempts()).toBe(1)
    const devices = [{ name: 'big', attributes: { model: { string: 'huge' } } }]
    const pool = { name: 'node-0', generation: 1, resourceSliceCount: 1 }
    await test.client.create(ResourceSlice, {
      apiVersion,
      kind: 'ResourceSlice',
      metadata: { name: 'slice-2' },
      spec: { driver, nodeName: 'node-0', pool, devices },
    })
    await test.until(async () => (await nodeOf('p')) === 'node-0', { limitMs: 5000 })
  })

  it('are the claim’s though it changes at that very moment', async () => {
    let isChanged = false
    const wrap =
      (next: ApiHandler): ApiHandler =>
      async (request, signal) => {
        const isOwn = request.caller.user === 'system:kube-scheduler' && request.verb === 'update'
        if (isOwn && request.resource?.resource === 'resourceclaims' && !isChanged) {
          isChanged = true
          const labels = { metadata: { labels: { changed: 'now' } } }
          await test.client.patch(ResourceClaim, { namespace, name: 'mine' }, labels, {
            type: 'application/merge-patch+json',
          })
        }
        return next(request, signal)
      }
    await cluster({ wrap })
    await createClaim('mine', { requests: [exactly()] })
    await createPod('p', { resourceClaimName: 'mine' })
    await test.until(async () => (await nodeOf('p')) !== undefined, { limitMs: 500 })
    expect(isChanged).toBe(true)
    expect((await findClaim('mine'))?.metadata.labels).toEqual({ changed: 'now' })
  })

  it('that cannot be written down are told of', async () => {
    const wrap =
      (next: ApiHandler): ApiHandler =>
      (request, signal) =>
        request.resource?.resource === 'resourceclaims' && request.subresource === 'status'
          ? Promise.resolve(refusal({ code: 403, reason: 'Forbidden', message: 'forbidden on purpose' }))
          : next(request, signal)
    await cluster({ wrap })
    await createClaim('mine', { requests: [exactly()] })
    await createPod('p', { resourceClaimName: 'mine' })
    await test.until(async () => (await messageOf('p')) !== undefined)
    expect(await messageOf('p')).toBe(
      'running PreBind plugin "DynamicResources": add allocation and reservation to claim demo/mine: forbidden on purpose',
    )
  })

  it('stay with the claim, but not its pod, where the pod is not bound after all', async () => {
    const wrap =
      (next: ApiHandler): ApiHandler =>
      (request, signal) =>
        request.subresource === 'binding'
          ? Promise.resolve(refusal({ code: 403, reason: 'Forbidden', message: 'forbidden on purpose' }))
          : next(request, signal)
    await cluster({ wrap })
    await createClaim('mine', { requests: [exactly()] })
    await createPod('p', { resourceClaimName: 'mine' })
    await test.until(async () => (await messageOf('p')) !== undefined)
    const { status } = (await findClaim('mine')) ?? {}
    expect([status?.allocation?.devices?.results?.length, status?.reservedFor]).toEqual([1, undefined])
  })
})
