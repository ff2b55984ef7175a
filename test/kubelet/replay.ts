// Does in a simulated cluster what was done to the real one, and notes the same things: every change of a pod that a
// watch delivers, and the Events at the end.

import { CoreV1Event, Namespace, Node, Pod, ServiceAccount, WorkloadProfile } from '#kinds'
import { parseTime } from '#objects'
import { startMachine, type TestMachine } from '../support/machine.ts'
import { checkBehaviour } from './grammar.ts'
import { profilesOf } from './profiles.ts'
import type { Entry, RecordedEvent, Recording } from './recording.ts'
import { stepsOf } from './steps.ts'
import { createObject, kindOf, namespace, nodeName, nodesOf, otherPods, prepareNode } from './surroundings.ts'

export interface Seen {
  readonly timeline: readonly Entry[]
  readonly events: readonly RecordedEvent[]
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
  checkBehaviour(recording.behaviour)
  const seed = attempt === 1 ? recording.name : `${recording.name} ${attempt}`
  const test = startMachine({ seed, nodes: nodesOf(recording) })
  const { client, world } = test
  try {
    for (const name of [namespace, 'another']) await client.create(Namespace, namespaced(name))
    await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
    await test.until(async () => (await client.list(Node)).items.every(isReady))
    for (const profile of profilesOf(recording, namespace)) await client.create(WorkloadProfile, profile)
    await prepareNode(test, recording)
    for (const object of otherPods(recording)) await client.create(kindOf(object), object)
    await world.advance(10_000)
    const notes = new Notes(test)
    const stream = await client.watch(Pod, { namespace })
    void (async () => {
      for await (const batch of stream) for (const { type, object } of batch) notes.note(type, object)
    })()
    const steps = stepsOf(recording, test)
    const isAtOnce = ({ kind }: { readonly kind: string }): boolean => kind === 'Pod' || kind === 'Job'
    for (const object of recording.manifests) if (!isAtOnce(object)) await createObject(test, object)
    await world.advance(200)
    notes.startAt = world.clock.now()
    for (const { t, run } of steps) {
      await world.advance(Math.max(0, notes.startAt + t * 1000 - world.clock.now()))
      await run()
    }
    await world.advance(Math.max(0, notes.startAt + recording.observedForSeconds * 1000 - world.clock.now()))
    return { timeline: notes.timeline, events: await eventsOf(test, notes) }
  } finally {
    await test.stop()
  }
}

const namespaced = (name: string): Namespace => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} })

const isReady = ({ status, spec }: Node): boolean =>
  (status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false) &&
  !(spec.taints ?? []).some(({ key }) => key.startsWith('node.kubernetes.io/'))

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
