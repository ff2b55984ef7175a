// What is done to the cluster while a recording is replayed, and when: the recording's actions, and what its `behaviour`
// says of the node. An action that is not known here is an error.

import { Fault, type FaultSpec, type Kind, Node, NodeProfile, Pod } from '#kinds'
import type { AnyObject, JsonObject } from '#objects'
import type { TestMachine } from '../support/machine.ts'
import type { Action, NetworkState, Recording, RuntimeState } from './recording.ts'
import { createObject, elsewhere, kindOf, namespace, nodeName, othersRequests, requester } from './surroundings.ts'

export interface Step {
  readonly t: number
  readonly run: () => Promise<unknown>
}

/** In the order in which they are taken. */
export function stepsOf(recording: Recording, test: TestMachine): readonly Step[] {
  const { actions, behaviour } = recording
  const { actedOn, first } = beginnings(recording, test)
  const later = actions.filter(({ t }) => t > 1 || recording.manifests.every(({ kind }) => kind !== 'Pod'))
  for (const { action } of actions) if (!(action in doing)) throw new Error(unknownAction(action))
  return [
    ...first,
    ...later
      .filter(({ object }) => object === undefined || !actedOn.has(object))
      .map((action) => ({ t: action.t, run: () => perform(action, { test, recording }) })),
    ...ofOthers(behaviour.node, test),
    ...ofNode(recording, test),
    ...createdUnseen(recording, test),
  ].toSorted((a, b) => a.t - b.t)
}

const keyOf = ({ kind, metadata }: AnyObject): string => `${kind}/${metadata.name}`

/** Pods and Jobs of the manifests: at once, or when an action says so. */
function beginnings({ manifests, actions }: Recording, test: TestMachine) {
  const actedOn = new Set<string>()
  const isStatic = actions.some(({ action }) => action.startsWith('static manifest'))
  if (isStatic) return { actedOn, first: [{ t: 0, run: () => writeManifests(test, manifests) }] }
  const first = manifests
    .filter(({ kind }) => kind === 'Pod' || kind === 'Job')
    .map((object) => {
      const created = actions.find((one) => one.action === 'create' && one.object === keyOf(object))
      if (created !== undefined) actedOn.add(keyOf(object))
      return { t: created === undefined || created.t <= 1 ? 0 : created.t, run: () => createObject(test, object) }
    })
  return { actedOn, first }
}

type NodeBehaviour = Recording['behaviour']['node']

function ofOthers(node: NodeBehaviour, { client }: TestMachine): readonly Step[] {
  const remove = (name: string) => client.delete(Pod, { namespace: elsewhere, name }, { gracePeriodSeconds: 0 })
  const forced = (node?.otherPods ?? []).flatMap(({ forceDeletedAtSeconds: t }, i) =>
    t === undefined ? [] : [{ t, run: () => remove(`port-${i}`) }],
  )
  const changes = othersRequests(node?.othersRequest)
    .slice(1)
    .map(({ t, requests }) => ({
      t,
      async run() {
        await remove('requests')
        const object = requester(requests)
        await client.create(kindOf(object), object)
      },
    }))
  return [...forced, ...changes]
}

/** The node's kubelet and Node object, where no action tells of them. */
function ofNode({ actions, behaviour }: Recording, test: TestMachine): readonly Step[] {
  const { kubelet = [], deletedAtSeconds, runtime, network } = behaviour.node ?? {}
  const hasAction = (...names: readonly string[]): boolean => actions.some(({ action }) => names.includes(action))
  const ownKubelet = hasAction('stop-kubelet', 'start-kubelet') ? [] : kubelet
  const own = { test, recording: undefined }
  return [
    ...(network ?? []).map((state) => ({ t: state.fromSeconds, run: () => setNetwork(test, state) })),
    ...(runtime ?? []).map((state) => ({ t: state.fromSeconds, run: () => setRuntime(test, state) })),
    ...ownKubelet.map(({ fromSeconds, state }) => ({
      t: fromSeconds,
      run: async () => doing[state === 'stopped' ? 'stop-kubelet' : 'start-kubelet']?.([], own),
    })),
    ...(deletedAtSeconds === undefined || hasAction('delete-node')
      ? []
      : [{ t: deletedAtSeconds, run: async () => doing['delete-node']?.([], own) }]),
  ]
}

async function setNetwork(test: TestMachine, { ready, reason, message }: NetworkState): Promise<void> {
  const words = { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) }
  await replaceFault(test, 'network', ready ? undefined : { networkNotReady: { nodes: [nodeName], ...words } })
}

async function setRuntime(test: TestMachine, { state, errorMessage, containersSurvive }: RuntimeState): Promise<void> {
  if (containersSurvive === false) throw new Error('node.runtime: containers here outlive their runtime')
  await replaceFault(
    test,
    'runtime',
    state === 'up'
      ? undefined
      : {
          runtimeDown: { nodes: [nodeName], ...(errorMessage === undefined ? {} : { message: errorMessage }) },
        },
  )
}

/** One Fault of this name, or none. */
async function replaceFault({ client, find }: TestMachine, name: string, spec: FaultSpec | undefined): Promise<void> {
  if ((await find(Fault, { name })) !== undefined) await client.delete(Fault, { name })
  if (spec === undefined) return
  await client.create(Fault, { apiVersion: 'lab.homeostat.dev/v1alpha1', kind: 'Fault', metadata: { name }, spec })
}

/** Pods whose creation no manifest and no action shows; what is known of them is what their containers do. */
function createdUnseen({ behaviour }: Recording, test: TestMachine): readonly Step[] {
  return Object.entries(behaviour.pods).flatMap(([name, { createdAtSeconds: t, containers }]) => {
    if (t === undefined) return []
    const [image = 'busybox:1.36'] = Object.keys(behaviour.images)
    const object: AnyObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        containers: Object.keys(containers).map((container) => ({ name: container, image })),
        // It was seen on a node that was not ready.
        tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }],
      },
    }
    return [{ t, run: () => createObject(test, object) }]
  })
}

const folder = 'static-pods'

async function writeManifests({ client }: TestMachine, manifests: readonly AnyObject[]): Promise<void> {
  const staticPods = manifests.map((one) => ({ ...one, metadata: { ...one.metadata, namespace } }))
  await client.create(NodeProfile, {
    apiVersion: 'lab.homeostat.dev/v1alpha1',
    kind: 'NodeProfile',
    metadata: { name: folder },
    spec: { match: { nodes: [nodeName] }, staticPods: staticPods as unknown as readonly JsonObject[] },
  })
}

interface Doing {
  readonly test: TestMachine
  readonly recording: Recording | undefined
}

type Args = readonly unknown[]

const nothing = async (): Promise<void> => {}

/** By name of the action. Arguments are those of the recordings. */
const doing: Readonly<Record<string, (args: Args, at: Doing) => Promise<unknown>>> = {
  create: ([object], { test }) => (typeof object === 'object' ? createObject(test, object as AnyObject) : nothing()),
  // The pods of the manifests, which are created anyway.
  'create-pods': nothing,
  'static manifest written': nothing,
  delete: ([path, graceSeconds], { test }) => {
    const { kind, ref } = placeOf(path)
    return test.client.delete(kind, ref, typeof graceSeconds === 'number' ? { gracePeriodSeconds: graceSeconds } : {})
  },
  patch: ([path, type, body], { test }) => patch(test, { path, type, body }),
  patchsub: ([path, subresource, type, body], { test }) =>
    patch(test, { path, type, body, subresource: String(subresource) }),
  evict: ([name], { test }) =>
    test.client.createSubresource(Pod, { namespace, name: String(name) }, 'eviction', {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace },
    }),
  cordon: (_args, { test }) => cordon(test, true),
  uncordon: (_args, { test }) => cordon(test, false),
  'stop-kubelet': async (_args, { test }) => test.machine.residents.kubelet?.stopNode(nodeName),
  'start-kubelet': async (_args, { test }) => test.machine.residents.kubelet?.startNode(nodeName),
  'delete-node': (_args, { test }) => test.client.delete(Node, { name: nodeName }),
  'static manifest removed': (_args, { test }) => test.client.delete(NodeProfile, { name: folder }),
  async 'mirror pod deleted through the API with grace 0'(_args, { test: { client } }) {
    for (const { metadata } of (await client.list(Pod, { namespace })).items)
      await client.delete(Pod, { namespace, name: metadata.name ?? '' }, { gracePeriodSeconds: 0 })
  },
}

const unknownAction = (action: string): string =>
  `action ${action} is not known; known are ${Object.keys(doing).join(', ')}`

/** Does it; what the real API server refused must be refused here, too. */
async function perform({ action, args = [], code }: Action, at: Doing): Promise<void> {
  const refused = code !== undefined && code >= 400
  try {
    await doing[action]?.(args, at)
  } catch (error) {
    if (refused) return
    throw error
  }
  if (refused) throw new Error(`action ${action} was answered ${code}, and is let through here`)
}

const cordon = ({ client }: TestMachine, unschedulable: boolean) =>
  client.patch(Node, { name: nodeName }, { spec: { unschedulable } }, { type: 'application/merge-patch+json' })

interface Place {
  readonly name: string
  readonly namespace?: string
}

interface Patch {
  readonly path: unknown
  readonly type: unknown
  readonly body: unknown
  readonly subresource?: string
}

function patch({ client }: TestMachine, { path, type, body, subresource }: Patch): Promise<unknown> {
  const { kind, ref } = placeOf(path)
  return client.patch(kind, ref, body, {
    type: type as 'application/merge-patch+json',
    ...(subresource === undefined ? {} : { subresource }),
  })
}

const apiVersions: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  pods: ['v1', 'Pod'],
  nodes: ['v1', 'Node'],
  configmaps: ['v1', 'ConfigMap'],
  secrets: ['v1', 'Secret'],
  persistentvolumeclaims: ['v1', 'PersistentVolumeClaim'],
  jobs: ['batch/v1', 'Job'],
}

/** `pods/NAME`, `nodes/NAME` and the like; a name alone is a pod's. */
function placeOf(path: unknown): { readonly kind: Kind<AnyObject>; readonly ref: Place } {
  const words = String(path).split('/')
  const [resource, name] = words.length === 1 ? ['pods', words[0]] : words
  const [apiVersion, kindName] = apiVersions[resource ?? ''] ?? []
  if (apiVersion === undefined || kindName === undefined || name === undefined || words.length > 2)
    throw new Error(`${String(path)} is no path that is known; known are ${Object.keys(apiVersions).join(', ')}`)
  const kind = kindOf({ apiVersion, kind: kindName })
  const ref = { name: name === '<node>' ? nodeName : name }
  return { kind, ref: kind.namespaced ? { ...ref, namespace } : ref }
}
