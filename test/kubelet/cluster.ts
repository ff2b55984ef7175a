// A cluster whose nodes are ready, with the questions that tests of kubelets ask.

import {
  CoreV1Event,
  Fault,
  type FaultSpec,
  Namespace,
  Node,
  NodeProfile,
  type NodeProfileSpec,
  Pod,
  type PodSpec,
  ServiceAccount,
  WorkloadProfile,
  type WorkloadProfileSpec,
} from '#kinds'
import type { ObjectMeta } from '#objects'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'

export const namespace = 'demo'
const lab = 'lab.homeostat.dev/v1alpha1'

export interface NodeTest extends TestMachine {
  pod(name: string, spec?: Partial<PodSpec>, metadata?: Partial<ObjectMeta>): Promise<Pod>
  profile(name: string, spec: WorkloadProfileSpec): Promise<unknown>
  nodeProfile(name: string, spec: NodeProfileSpec): Promise<unknown>
  fault(name: string, spec: FaultSpec): Promise<unknown>
  get(name: string): Promise<Pod | undefined>
  isReady(name: string): Promise<boolean>
  node(name?: string): Promise<Node>
  /** `Reason: message` of the Events about an object, in order. */
  events(name: string): Promise<readonly string[]>
  /** Those with a reason, whole. */
  eventsOf(name: string, reason: string): Promise<readonly CoreV1Event[]>
}

export async function nodeTest(options: TestMachineOptions = {}): Promise<NodeTest> {
  const test = startMachine({ nodes: 1, ...options })
  const { client } = test
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
  await test.until(async () => {
    const { items } = await client.list(Node)
    return items.length > 0 && items.every(({ spec }) => (spec.taints ?? []).length === 0)
  })
  await test.world.advance(2000)
  const get = (name: string) => test.find(Pod, { namespace, name })
  const eventsAbout = async (name: string): Promise<readonly CoreV1Event[]> => {
    await test.world.settle()
    return (await client.list(CoreV1Event, { fieldSelector: `involvedObject.name=${name}` })).items
  }
  const own = (kind: string, name: string) => ({ apiVersion: lab, kind, metadata: { name } })
  return {
    ...test,
    pod: (name, spec = {}, metadata = {}) =>
      client.create(Pod, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace, ...metadata },
        spec: { containers: [{ name: 'app', image: 'nginx' }], ...spec },
      }),
    profile: (name, spec) => client.create(WorkloadProfile, { ...own('WorkloadProfile', name), spec }),
    nodeProfile: (name, spec) => client.create(NodeProfile, { ...own('NodeProfile', name), spec }),
    fault: (name, spec) => client.create(Fault, { ...own('Fault', name), spec }),
    get,
    isReady: async (name) =>
      (await get(name))?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    node: (name = 'node-0') => client.get(Node, { name }),
    events: async (name) => (await eventsAbout(name)).map(({ reason, message }) => `${reason}: ${message}`),
    eventsOf: async (name, wanted) => (await eventsAbout(name)).filter(({ reason }) => reason === wanted),
  }
}
