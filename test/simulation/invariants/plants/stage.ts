// Where violations are planted: a machine without loops of its own, in which a loop can be made guilty of anything, and the
// store can be written past the API.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ApiRequest, ApiResponse } from '#api'
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  EndpointSlice,
  Job,
  Node,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  Service,
  ServiceAccount,
  StatefulSet,
} from '#kinds'
import type { AnyObject, KubeObject } from '#objects'
import { done, type Kit, type LoopDefinition } from '#reconcile'
import { startMachine, type TestMachine } from '../../../support/machine.ts'
import { pod } from '../../../support/manifests.ts'
import { Observer } from '../../../support/observer.ts'
import { Inspection, invariants } from '../index.ts'

export const at = (name: string) => ({ namespace: 'default', name })

const reads = [
  Pod,
  Node,
  Deployment,
  ReplicaSet,
  StatefulSet,
  ControllerRevision,
  DaemonSet,
  Job,
  Service,
  EndpointSlice,
  PodDisruptionBudget,
]

export interface Stage {
  readonly test: TestMachine
  /** Does `act` in one reconcile of a loop with that name, which has seen all that is there by now. */
  guilty(loop: string, key: string, act: (kit: Kit) => Promise<unknown>): Promise<void>
  /** What somebody else does while a reconcile is under way. */
  readonly meanwhile: <T>(act: () => T) => T
  /** Writes past the API, as only a broken server could. */
  write(bucket: string, key: string, change: (object: AnyObject) => unknown): void
  /** Answers a request for a subresource by `act`, as only a broken server could. */
  answer(subresource: string, act: () => void): Promise<unknown>
}

/** Runs a plant in a machine without loops of its own; answers what was seen. */
export async function seenIn(plant: (stage: Stage) => Promise<unknown>, atEnd = false): Promise<readonly string[]> {
  const observer = new Observer()
  const acts = new Map<string, (kit: Kit) => Promise<unknown>>()
  const names = [
    'deployment',
    'statefulset',
    'daemonset',
    'job',
    'scheduler',
    'job-orphan-pods',
    'endpointslice',
    'endpoints',
    'disruption',
    'replicaset',
  ]
  const loops = names.map(
    (name): LoopDefinition => ({
      name,
      user: `system:${name}`,
      manager: name,
      watches: [],
      reads,
      workers: 1,
      reconcile: async (key, kit) => {
        await acts.get(`${name} ${key}`)?.(kit)
        return done()
      },
    }),
  )
  const test = startMachine({ ...observer.options, store: observer.store, loops: () => false, extraLoops: loops })
  const inspection = new Inspection(observer, invariants, () => test.world.clock.now())
  await test.world.settle()
  const stage: Stage = {
    test,
    meanwhile: AsyncLocalStorage.snapshot(),
    async guilty(loop, key, act) {
      await test.world.settle()
      acts.set(`${loop} ${key}`, act)
      test.machine.runtime.enqueue(loop, key)
      await test.world.settle()
    },
    answer(subresource, act) {
      const request = { verb: 'create', subresource, caller: { user: 'kubernetes-admin' } } as ApiRequest
      const handler = observer.wrap(async () => {
        act()
        return { status: 201, body: { type: 'object', object: {} } } as ApiResponse
      })
      return handler(request, new AbortController().signal)
    },
    write(bucket, key, change) {
      const entry = observer.store.get(bucket, key)
      if (entry === undefined) throw new Error(`no ${bucket} ${key}`)
      observer.store.put(bucket, key, entry.revision, (revision) => {
        const value = { ...entry.value, ...(change(entry.value) as object) }
        return {
          value: { ...value, metadata: { ...value.metadata, resourceVersion: String(revision) } } as AnyObject,
          attachment: entry.attachment,
        }
      })
    },
  }
  // Nothing here makes what every pod needs.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: at('default') } as const
  await test.client.create(ServiceAccount, account)
  await plant(stage)
  if (atEnd) inspection.atEnd()
  await test.stop()
  return inspection.violations.map(({ invariant, message }) => `${invariant}: ${message}`)
}

export const ready = [{ type: 'Ready', status: 'True' }]
export const running = {
  phase: 'Running',
  podIP: '10.244.0.9',
  podIPs: [{ ip: '10.244.0.9' }],
  conditions: ready,
  containerStatuses: [{ name: 'app', state: { running: {} } }],
}

const node = (name: string, more: object = {}): Node =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    ...more,
    status: { allocatable: { pods: '1', cpu: '1', memory: '1Gi' } },
  }) as unknown as Node

export const owned = (object: KubeObject, owner: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    ownerReferences: [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        name: owner.metadata.name ?? '',
        uid: owner.metadata.uid ?? '',
        controller: true,
      },
    ],
  },
})

export async function withNode({ test, write }: Stage, name = 'node-0'): Promise<void> {
  await test.client.create(Node, node(name))
  // A kubelet would take away the taint that it begins with.
  write('nodes', name, () => ({ spec: {}, status: { allocatable: { pods: '1', cpu: '1', memory: '1Gi' } } }))
}

export async function bind(kit: Kit, name: string, target: string): Promise<void> {
  await kit.client.createSubresource(Pod, { namespace: 'default', name }, 'binding', {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace: 'default' },
    target: { apiVersion: 'v1', kind: 'Node', name: target },
  })
}

export async function aPod(
  { test }: Stage,
  name: string,
  more: Partial<Pod['spec']> = {},
  labels: Record<string, string> = {},
): Promise<Pod> {
  return test.client.create(Pod, { ...pod(name, { ...more, serviceAccountName: 'default' }, labels) })
}

export interface Plant {
  readonly name: string
  readonly plant: (stage: Stage) => Promise<unknown>
  /** What is to be told of it. */
  readonly told: RegExp
  /** It shows only when everything has come to rest. */
  readonly atEnd?: boolean
}
