// The stand-in kubelet: five nodes without any life of their own, exactly as the recordings in test/golden were made
// with. Pods run at once, end 1.5 s later if they are jobs, and go at once when they are deleted.
// Reads: Nodes, Pods.  Writes: Node, Lease, Pod.status, the deletion of pods.

import { isAlreadyExists, isNotFound } from '#api'
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  Lease,
  Node,
  Pod,
  type PodCondition,
  type PodStatus,
} from '#kinds'
import { formatMicroTime, formatTime, objectKey, parseTime } from '#objects'
import { componentCaller, done, type Kit, type LoopDefinition, type Outcome, requeueAfter, watching } from '#reconcile'
import { digestOf } from './ground/digest.ts'

const nodeNames = ['node-0', 'node-1', 'node-2', 'node-3', 'node-4']
const hostIP = '10.0.0.1'
const jobMs = 1500
const renewMs = 10_000
const leaseNamespace = 'kube-node-lease'

const common = { user: 'system:node:standin', manager: 'kubelet' } as const

export function standinKubeletLoops(): readonly LoopDefinition[] {
  return [
    {
      ...common,
      name: 'kubelet-node',
      reconciles: Node,
      watches: [],
      reads: [Node, Lease],
      startKeys: nodeNames,
      workers: 5,
      reconcile: keepNode,
    },
    {
      ...common,
      name: 'kubelet',
      reconciles: Pod,
      watches: [watching(Pod, (pod) => ((pod.spec.nodeName ?? '') === '' ? [] : [objectKey(pod)]))],
      workers: 16,
      reconcile: keepPod,
    },
  ]
}

function newNode(name: string, now: number): Node {
  const time = formatTime(now)
  const resources = { cpu: '64', memory: '256Gi', pods: '1k' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    spec: {},
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastHeartbeatTime: time,
          lastTransitionTime: time,
          reason: 'KubeletReady',
          message: 'kubelet is posting ready status',
        },
      ],
      addresses: [{ type: 'InternalIP', address: hostIP }],
    },
  }
}

async function keepNode(name: string, kit: Kit): Promise<Outcome> {
  const now = kit.world.clock.now()
  const client = kit.client.as(componentCaller(`system:node:${name}`, common.manager))
  const node = kit.cache.get(Node, name)
  if (node === undefined) await ifNew(() => client.create(Node, newNode(name, now)))
  else if (!isReady(node)) await client.updateStatus(Node, { ...node, status: newNode(name, now).status ?? {} })
  const lease = kit.cache.get(Lease, `${leaseNamespace}/${name}`)
  const renewed: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { ...lease?.metadata, name, namespace: leaseNamespace },
    spec: { ...lease?.spec, holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(now) },
  }
  const renewedAt = parseTime(lease?.spec.renewTime) ?? Number.NEGATIVE_INFINITY
  if (renewedAt + renewMs > now) return requeueAfter(Math.ceil(renewedAt + renewMs - now))
  if (lease === undefined) await ifNew(() => client.create(Lease, renewed))
  else await client.update(Lease, renewed)
  return requeueAfter(renewMs)
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false

async function ifNew(create: () => Promise<unknown>): Promise<void> {
  try {
    await create()
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

async function keepPod(key: string, kit: Kit): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  if (pod === undefined) return done()
  const { namespace = '', name = '', deletionTimestamp } = pod.metadata
  const client = kit.client.as(componentCaller(`system:node:${pod.spec.nodeName}`, common.manager))
  try {
    if (deletionTimestamp !== undefined) {
      if (pod.metadata.deletionGracePeriodSeconds !== 0 || (pod.metadata.finalizers?.length ?? 0) === 0)
        await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 })
      return done()
    }
    const { status, wakeAfterMs } = decideStandin(pod, kit.world.clock.now())
    if (status !== undefined) await client.updateStatus(Pod, { ...pod, status })
    return wakeAfterMs === undefined ? done() : requeueAfter(wakeAfterMs)
  } catch (error) {
    if (!isNotFound(error)) throw error
    return done()
  }
}

export interface StandinDecision {
  readonly status?: PodStatus
  readonly wakeAfterMs?: number
}

export function decideStandin(pod: Pod, now: number): StandinDecision {
  const { phase = 'Pending', startTime } = pod.status ?? {}
  const ends = endsByItself(pod)
  if (phase === 'Pending') return { status: runningStatus(pod, now), ...(ends ? { wakeAfterMs: jobMs } : {}) }
  if (phase !== 'Running' || !ends) return {}
  // Times in objects are whole seconds: the end is never told too early.
  const endsAt = (parseTime(startTime) ?? now) + jobMs
  return endsAt > now ? { wakeAfterMs: endsAt - now } : { status: endedStatus(pod, now) }
}

function endsByItself({ spec }: Pod): boolean {
  const first = spec.containers[0]
  const words = [first?.image ?? '', ...(first?.command ?? [])]
  return (spec.restartPolicy ?? 'Always') !== 'Always' && !words.some((word) => word.includes('pause'))
}

function exitCodeOf({ spec }: Pod): number {
  const text = /exit (\d+)/.exec((spec.containers[0]?.command ?? []).join(' '))
  return text === null ? 0 : Number(text[1])
}

const idOf = (pod: Pod, { name }: Container): string =>
  `containerd://${digestOf(`${pod.metadata.uid} ${name}`).slice(7)}`

function statusOf(pod: Pod, container: Container, state: ContainerState): ContainerStatus {
  const running = state.running !== undefined
  return {
    name: container.name,
    image: container.image ?? '',
    imageID: `${container.image ?? ''}@${digestOf(container.image ?? '')}`,
    containerID: idOf(pod, container),
    lastState: {},
    ready: running,
    started: running,
    restartCount: 0,
    state,
  }
}

/** An address of 10.1.0.0/16 by the pod's uid. */
function addressOf({ metadata }: Pod): string {
  const number = Number.parseInt(digestOf(metadata.uid ?? '').slice(7, 15), 16)
  return `10.1.${(number >>> 8) & 255}.${number & 255 || 1}`
}

const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']

function condition(pod: Pod, type: string, status: string, now: number): PodCondition {
  const before = pod.status?.conditions?.find((one) => one.type === type)
  const time = before?.status === status ? before.lastTransitionTime : undefined
  return { type, status, lastProbeTime: null as unknown as string, lastTransitionTime: time ?? formatTime(now) }
}

function runningStatus(pod: Pod, now: number): PodStatus {
  const ip = addressOf(pod)
  const started = { running: { startedAt: formatTime(now) } }
  return {
    ...pod.status,
    phase: 'Running',
    startTime: formatTime(now),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: ip,
    podIPs: [{ ip }],
    conditions: types.map((type) => condition(pod, type, 'True', now)),
    containerStatuses: pod.spec.containers.map((container) => statusOf(pod, container, started)),
  }
}

function endedStatus(pod: Pod, now: number): PodStatus {
  const exitCode = exitCodeOf(pod)
  const time = formatTime(now)
  const isFalse = (type: string): boolean => type === 'Ready' || type === 'ContainersReady'
  return {
    ...pod.status,
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    conditions: types.map((type) => condition(pod, type, isFalse(type) ? 'False' : 'True', now)),
    containerStatuses: pod.spec.containers.map((container) =>
      statusOf(pod, container, {
        terminated: {
          exitCode,
          reason: exitCode === 0 ? 'Completed' : 'Error',
          startedAt: pod.status?.startTime ?? time,
          finishedAt: time,
          containerID: idOf(pod, container),
        },
      }),
    ),
  }
}
