// The cluster in which a recording is replayed: its nodes, what lies on them, and the pods that were there besides.

import { type HostFile, type Kind, NodeProfile, resourceTable } from '#kinds'
import type { NodeSpec } from '#kubelet'
import type { AnyObject } from '#objects'
import type { TestMachine } from '../support/machine.ts'
import type { OthersRequest, OthersRequested, Recording } from './recording.ts'

export const nodeName = 'real-node'
export const namespace = 'demo'

/** Of all recordings, also those that do not say so. */
const usualRuntime = 'containerd 1.6.20'

/** `containerd 1.6.20 with …`, as a node tells it. */
const versionOf = ({ recordedWith }: Recording): string =>
  (recordedWith?.runtime ?? usualRuntime).replace(/^(\S+) (\S+).*$/, '$1://$2')

export function nodesOf(recording: Recording): readonly NodeSpec[] {
  const { allocatable, capacity, labels, os, otherNodes = [] } = recording.behaviour.node ?? {}
  const resources = {
    cpu: '2',
    'ephemeral-storage': '243497856212',
    memory: '24581684Ki',
    pods: '110',
    ...allocatable,
  }
  const ownLabels = { ...labels, ...(os === undefined ? {} : { 'kubernetes.io/os': os }) }
  return [
    {
      name: nodeName,
      containerRuntimeVersion: versionOf(recording),
      allocatable: resources,
      capacity: capacity ?? resources,
      // Names of hosts are left out of recordings.
      labels: Object.fromEntries(Object.entries(ownLabels).filter(([, value]) => !value.startsWith('<'))),
    },
    // Further nodes are only objects: they take no pods.
    ...otherNodes.map((_, i) => ({
      name: `other-${i}`,
      taints: [{ key: 'example.com/no-pods', effect: 'NoSchedule' as const }],
    })),
  ]
}

export function kindOf({ apiVersion, kind }: Pick<AnyObject, 'apiVersion' | 'kind'>): Kind<AnyObject> {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const row = resourceTable.find((one) => one.kind === kind && one.group === group && one.version === version)
  if (row === undefined) throw new Error(`no resource for ${apiVersion} ${kind}`)
  return row
}

export function createObject({ client }: TestMachine, object: AnyObject): Promise<unknown> {
  const kind = kindOf(object)
  const where = kind.namespaced ? { namespace } : {}
  return client.create(kind, { ...object, metadata: { ...object.metadata, ...where } })
}

const hostFileTypes = { file: 'File', directory: 'Directory', absent: 'Absent' } as const

/** What lies on the node's disk, and what the cluster has besides. */
export async function prepareNode(test: TestMachine, { behaviour }: Recording): Promise<void> {
  const {
    hostPaths = {},
    runtimeHandlers: handlers = [],
    storageClasses = [],
    persistentVolumes = [],
    allowedUnsafeSysctls = [],
  } = behaviour.node ?? {}
  if (allowedUnsafeSysctls.length > 0) throw new Error('node.allowedUnsafeSysctls: the kubelet here allows none')
  const files: readonly HostFile[] = Object.entries(hostPaths).map(([path, type]) => ({
    path,
    type: hostFileTypes[type],
  }))
  const runtimeHandlers = handlers.filter((name) => name !== '')
  if (files.length + runtimeHandlers.length > 0)
    await test.client.create(NodeProfile, {
      apiVersion: 'lab.homeostat.dev/v1alpha1',
      kind: 'NodeProfile',
      metadata: { name: 'node' },
      spec: { match: { nodes: [nodeName] }, files, runtimeHandlers },
    })
  for (const object of [...storageClasses, ...persistentVolumes]) await createObject(test, object)
}

export const elsewhere = 'another'

const otherPod = (name: string, container: object): AnyObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: elsewhere },
  spec: { nodeName, terminationGracePeriodSeconds: 30, containers: [{ name: 'app', image: 'other', ...container }] },
})

/** Stands for all pods that are not in the recording and ask for something. */
export const requester = (requests: Readonly<Record<string, unknown>>): AnyObject =>
  otherPod('requests', { resources: { requests } })

export interface RequestChange {
  readonly t: number
  readonly requests: Readonly<Record<string, unknown>>
}

const isResource = (key: string): boolean => ['cpu', 'memory', 'ephemeral-storage'].includes(key) || key.includes('/')

/** What the others ask for, and when that changes. */
export function othersRequests(given: OthersRequest | undefined): readonly RequestChange[] {
  if (given === undefined) return []
  const list: readonly OthersRequested[] = Array.isArray(given) ? given : [given]
  let t = 0
  return list.map(({ fromSeconds = t, untilSeconds, requests, ...rest }) => {
    const own = Object.fromEntries(Object.entries(rest).filter(([key]) => isResource(key)))
    t = untilSeconds ?? fromSeconds
    return { t: fromSeconds, requests: requests ?? own }
  })
}

/** The other pods of the node at the start: what they ask for, and the host ports that they hold. */
export function otherPods({ behaviour }: Recording): readonly AnyObject[] {
  const { othersRequest, otherPods = [] } = behaviour.node ?? {}
  const [first] = othersRequests(othersRequest)
  return [
    ...(first === undefined ? [] : [requester(first.requests)]),
    ...otherPods.map(({ hostPort }, i) =>
      otherPod(`port-${i}`, hostPort === undefined ? {} : { ports: [{ containerPort: 80, hostPort }] }),
    ),
  ]
}
