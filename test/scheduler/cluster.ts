// A cluster in virtual time whose nodes can take pods, with a namespace for them.

import { Namespace, Node, PriorityClass, ServiceAccount } from '#kinds'
import { startMachine, type TestMachine, type TestMachineOptions } from '../support/machine.ts'

export const namespace = 'demo'

export async function startCluster(count: number, options: TestMachineOptions = {}): Promise<TestMachine> {
  const test = startMachine({ nodes: { count }, instant: true, ...options })
  const { client } = test
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} })
  await test.until(async () => (await test.find(ServiceAccount, { namespace, name: 'default' })) !== undefined)
  const isFree = ({ spec }: Node): boolean => (spec.taints ?? []).length === 0
  await test.until(async () => (await client.list(Node)).items.filter(isFree).length === count)
  return test
}

export async function createPriorities(
  { client }: TestMachine,
  values: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [name, value] of Object.entries(values))
    await client.create(PriorityClass, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
    })
}
