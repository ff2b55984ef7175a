// A cluster of these tests: a machine in virtual time whose pods start at once.

import type { Deployment, Event } from '#kinds'
import { CoreV1Event, Deployment as DeploymentKind, Node, Pod } from '#kinds'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'
import { workloads } from './node-side.ts'

export interface Cluster extends TestMachine {
  /** Stops a node's kubelet: its pods go on, but nobody reports. */
  stopNode(name: string): void
  /** `reason: message` of the Events about objects of a kind, oldest first, with random parts as `*`. */
  events(kind: string): Promise<readonly string[]>
  pods(selector?: string): Promise<readonly Pod[]>
  deployment(name: string): Promise<Deployment>
  /** Until the Deployment has been observed and all of its replicas are new and available. */
  rolledOut(name: string): Promise<void>
}

export async function startCluster(options: TestMachineOptions = {}): Promise<Cluster> {
  const { nodes = 3, ...rest } = options
  const test = startMachine({ nodes, instant: true, workloads, ...rest })
  const cluster: Cluster = {
    ...test,
    stopNode: (name) => test.machine.residents.kubelet?.stopNode(name),
    events: async (kind) => {
      const { items } = await test.client.list(CoreV1Event, { fieldSelector: `involvedObject.kind=${kind}` })
      return [...items].sort(byRevision).map(({ reason, message }) => `${reason}: ${plain(message ?? '')}`)
    },
    pods: async (labelSelector) =>
      (await test.client.list(Pod, { namespace: 'default', ...(labelSelector === undefined ? {} : { labelSelector }) }))
        .items,
    deployment: (name) => test.client.get(DeploymentKind, { namespace: 'default', name }),
    rolledOut: (name) => test.until(async () => isRolledOut(await cluster.deployment(name))),
  }
  await test.until(async () => (await test.client.list(Node)).items.filter(isReady).length === nodes)
  return cluster
}

const isReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true

const byRevision = (a: Event, b: Event): number =>
  Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion)

const plain = (text: string): string => text.replace(/-[bcdfghjklmnpqrstvwxz2456789]{5,10}\b/g, '-*')

export function isRolledOut({ metadata, spec, status = {} }: Deployment): boolean {
  const wanted = spec.replicas ?? 1
  return (
    status.observedGeneration === metadata.generation &&
    (status.updatedReplicas ?? 0) === wanted &&
    (status.replicas ?? 0) === wanted &&
    (status.availableReplicas ?? 0) === wanted
  )
}

export const merge = { type: 'application/merge-patch+json' } as const
