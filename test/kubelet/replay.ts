// Does in a simulated cluster what was done to the real one, and notes the same things: every change of a pod that a
// watch delivers, and the Events at the end.

import {
  CoreV1Event,
  type Kind,
  Namespace,
  Node,
  NodeProfile,
  Pod,
  resourceTable,
  ServiceAccount,
  WorkloadProfile,
} from '#kinds'
import type { NodeSpec } from '#kubelet'
import { type AnyObject, type JsonObject, parseTime } from '#objects'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { profilesOf } from './profiles.ts'
import type { Action, Entry, RecordedEvent, Recording } from './recording.ts'

export const nodeName = 'real-node'
const namespace = 'demo'

export interface Seen {
  readonly timeline: readonly Entry[]
  readonly events: readonly RecordedEvent[]
}

function nodesOf({ behaviour }: Recording): readonly NodeSpec[] {
  const resources = {
    cpu: '2',
    'ephemeral-storage': '243497856212',
    memory: '24581684Ki',
    pods: '110',
    ...behaviour.node?.allocatable,
  }
  const others = behaviour.node?.otherNodes ?? []
  return [
    { name: nodeName, allocatable: resources, capacity: behaviour.node?.capacity ?? resources },
    // Further nodes are only objects: they take no pods.
    ...others.map((_, i) => ({
      name: `other-${i}`,
      taints: [{ key: 'example.com/no-pods', effect: 'NoSchedule' as const }],
    })),
  ]
}

function kindOf(object: AnyObject): Kind<AnyObject> {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion]
  const row = resourceTable.find((one) => one.kind === object.kind && one.group === group && one.version === version)
  if (row === undefined) throw new Error(`no resource for ${object.apiVersion} ${object.kind}`)
  return row
}

/** The other pods of the node: what they ask for, and the host ports that they hold. */
function otherPods({ behaviour }: Recording): readonly AnyObject[] {
  const { othersRequest, otherPods = [] } = behaviour.node ?? {}
  const make = (name: string, container: object): AnyObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'another' },
    spec: { nodeName, terminationGracePeriodSeconds: 30, containers: [{ name: 'app', image: 'other', ...container }] },
  })
  return [
    ...(othersRequest === undefined ? [] : [make('requests', { resources: { requests: othersRequest } })]),
    ...otherPods.map(({ hostPort }, i) => make(`port-${i}`, { ports: [{ containerPort: 80, hostPort }] })),
  ]
}

class Notes {
  readonly timeline: Entry[] = []
  readonly #test: TestMachine
  startAt = 0

  constructor(test: TestMachine) {
    this.#test = test
  }

  get now(): number {
    return Math.round(this.#test.world.clock.now() - this.startAt) / 1000
  }

  note(watch: string, { metadata, spec, status }: Pod): void {
    const { generation, deletionTimestamp, deletionGracePeriodSeconds, finalizers, annotations, ownerReferences } =
      metadata
    const isMirror = annotations?.['kubernetes.io/config.mirror'] !== undefined
    this.timeline.push({
      t: this.now,
      pod: metadata.name ?? '',
      watch,
      metadata: {
        generation,
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
        ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
        ...(finalizers === undefined || finalizers.length === 0 ? {} : { finalizers }),
        ...(isMirror ? { annotations, ownerReferences } : {}),
      },
      ...(spec.nodeName === undefined ? {} : { nodeName: spec.nodeName }),
      status: { ...status },
    })
  }
}

/** The same recording is replayed the same way at each attempt of the same number. */
export async function replay(recording: Recording, attempt = 1): Promise<Seen> {
  const seed = attempt === 1 ? recording.name : `${recording.name} ${attempt}`
  const test = startMachine({ seed, nodes: nodesOf(recording) })
  const { client, world } = test
  try {
    for (const name of [namespace, 'another']) await client.create(Namespace, namespaced(name))
    await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
    await test.until(async () => (await client.list(Node)).items.every(isReady))
    for (const profile of profilesOf(recording, namespace)) await client.create(WorkloadProfile, profile)
    for (const object of otherPods(recording)) await client.create(kindOf(object), object)
    await world.advance(10_000)
    const notes = new Notes(test)
    notes.startAt = world.clock.now()
    const stream = await client.watch(Pod, { namespace })
    void (async () => {
      for await (const batch of stream) for (const { type, object } of batch) notes.note(type, object)
    })()
    await perform(recording, test, notes)
    return { timeline: notes.timeline, events: await eventsOf(test, notes) }
  } finally {
    await test.stop()
  }
}

const namespaced = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} })

const isReady = ({ status, spec }: Node): boolean =>
  (status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false) &&
  !(spec.taints ?? []).some(({ key }) => key.startsWith('node.kubernetes.io/'))

async function perform(recording: Recording, test: TestMachine, notes: Notes): Promise<void> {
  const { client, world } = test
  const create = (object: AnyObject) =>
    client.create(kindOf(object), {
      ...object,
      metadata: { ...object.metadata, ...(kindOf(object).namespaced ? { namespace } : {}) },
    })
  const pods = recording.manifests.filter(({ kind }) => kind === 'Pod')
  for (const object of recording.manifests) {
    const waits = object.kind === 'Pod' || object.kind === 'Job'
    if (!waits) await create(object)
  }
  await world.advance(200)
  notes.startAt = world.clock.now()
  if (isStatic(recording)) await writeManifests(test, recording)
  else
    for (const object of recording.manifests) if (object.kind === 'Pod' || object.kind === 'Job') await create(object)
  const forced = (recording.behaviour.node?.otherPods ?? []).flatMap(({ forceDeletedAtSeconds }, i) =>
    forceDeletedAtSeconds === undefined ? [] : [{ t: forceDeletedAtSeconds, name: `port-${i}` }],
  )
  const later = recording.actions.filter(({ t }) => t > 1 || pods.length === 0)
  const steps = [
    ...later.map((action) => ({ t: action.t, run: () => act(action, test, create) })),
    ...forced.map(({ t, name }) => ({
      t,
      run: () => client.delete(Pod, { namespace: 'another', name }, { gracePeriodSeconds: 0 }),
    })),
  ].sort((a, b) => a.t - b.t)
  for (const { t, run } of steps) {
    await world.advance(Math.max(0, notes.startAt + t * 1000 - world.clock.now()))
    await run()
  }
  await world.advance(Math.max(0, notes.startAt + recording.observedForSeconds * 1000 - world.clock.now()))
}

/** Recordings of static pods tell in words what was done. */
const isStatic = ({ actions }: Recording): boolean => actions.some(({ action }) => action.startsWith('static manifest'))

const folder = 'static-pods'

async function writeManifests({ client }: TestMachine, { manifests }: Recording): Promise<void> {
  const staticPods = manifests.map((one) => ({ ...one, metadata: { ...one.metadata, namespace } }))
  await client.create(NodeProfile, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'NodeProfile',
    metadata: { name: folder },
    spec: { match: { nodes: [nodeName] }, staticPods: staticPods as unknown as readonly JsonObject[] },
  })
}

async function deleteMirrors({ client }: TestMachine): Promise<void> {
  for (const { metadata } of (await client.list(Pod, { namespace })).items)
    await client.delete(Pod, { namespace, name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
}

async function act({ action, args = [] }: Action, test: TestMachine, create: (object: AnyObject) => Promise<unknown>) {
  const { client, machine } = test
  const [first, second, third, fourth] = args
  switch (action) {
    case 'create':
      if (typeof first === 'object') await create(first as AnyObject)
      return
    case 'delete':
      await client.delete(
        Pod,
        { namespace, name: String(first) },
        typeof second === 'number' ? { gracePeriodSeconds: second } : {},
      )
      return
    case 'patch':
      await client.patch(Pod, refOf(first), third, { type: second as 'application/merge-patch+json' })
      return
    case 'patchsub':
      await client.patch(Pod, refOf(first), fourth, {
        type: third as 'application/merge-patch+json',
        subresource: String(second),
      })
      return
    case 'evict':
      await client.createSubresource(Pod, { namespace, name: String(first) }, 'eviction', {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: first, namespace },
      })
      return
    case 'stop-kubelet':
      machine.residents.kubelet?.stopNode(nodeName)
      return
    case 'start-kubelet':
      machine.residents.kubelet?.startNode(nodeName)
      return
    case 'static manifest removed':
      await client.delete(NodeProfile, { name: folder })
      return
    case 'mirror pod deleted through the API with grace 0':
      await deleteMirrors(test)
      return
    case 'delete-node':
      await client.delete(Node, { name: nodeName })
      return
    default:
      return
  }
}

const refOf = (path: unknown) => ({ namespace, name: String(path).replace('pods/', '') })

/** As the recordings list them, in order of first appearance; scheduler Events have no count. */
async function eventsOf({ client, world }: TestMachine, notes: Notes): Promise<readonly RecordedEvent[]> {
  await world.settle()
  const { items: ofPods } = await client.list(CoreV1Event, { namespace })
  const { items: ofNodes } = await client.list(CoreV1Event, { namespace: 'default' })
  const timeOf = (event: CoreV1Event, time = event.eventTime ?? event.firstTimestamp): number =>
    (parseTime(time) ?? 0) - Math.floor(notes.startAt)
  const since = ofNodes.filter(
    (event) => event.involvedObject.name === nodeName && timeOf(event, event.lastTimestamp) >= 0,
  )
  return [...ofPods, ...since]
    .sort((a, b) => timeOf(a) - timeOf(b))
    .map((event) => ({
      // Events of the node may have come before, too: what counts is when they came last.
      t: timeOf(event, event.involvedObject.kind === 'Node' ? event.lastTimestamp : undefined) / 1000,
      type: event.type ?? '',
      reason: event.reason ?? '',
      message: event.message ?? '',
      count: event.eventTime == null ? (event.count ?? null) : null,
      source: event.source ?? {},
      reportingComponent: event.reportingComponent ?? '',
      involvedObject: {
        kind: event.involvedObject.kind ?? '',
        name: event.involvedObject.name ?? '',
        fieldPath: event.involvedObject.fieldPath ?? null,
      },
    }))
}
