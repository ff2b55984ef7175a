// The story that every loop is held to its contract in: workloads come up, change, lose pods, are deleted; a namespace
// goes; a node leaves. It is told in two ways: waiting for each chapter to be over, or (when watches cannot be
// relied on) giving each chapter a fixed time.

import {
  ConfigMap,
  DaemonSet,
  Deployment,
  Job,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Service,
  ServiceAccount,
} from '#kinds'
import type { TestMachine } from '../support/machine.ts'
import { configMap, deployment, job, namespace, service } from '../support/manifests.ts'
import { createCrowd, isCrowdSettled } from './crowd.ts'
import { changeSideCrowd, endSideCrowd, isSideUnderWay } from './side-crowd.ts'

export interface Story {
  readonly test: TestMachine
  /** Ends a chapter: waits until `holds`, or lets its fixed time go by. */
  readonly chapter: (holds: () => Promise<boolean>) => Promise<void>
  /** What the story cannot go on without. Whoever is in a hurry does it at last, where a person can. */
  readonly needs: (holds: () => Promise<boolean>, atLast?: () => Promise<unknown>) => Promise<void>
}

const strategic = { type: 'application/strategic-merge-patch+json' } as const
const merge = { type: 'application/merge-patch+json' } as const
const shop = 'shop'

/** Waits for every chapter. */
export const patient = (test: TestMachine): Story => ({
  test,
  chapter: (holds) => test.until(holds, { limitMs: 900_000 }),
  needs: (holds) => test.until(holds, { limitMs: 900_000 }),
})

/** Goes on after `chapterMs`, whatever has happened. */
export const hurried = (test: TestMachine, chapterMs = 20_000): Story => ({
  test,
  chapter: () => test.world.advance(chapterMs),
  async needs(holds, atLast) {
    const limitMs = atLast === undefined ? 900_000 : 30_000
    await test.until(holds, { limitMs }).catch((error: unknown) => {
      if (atLast === undefined) throw error
      return atLast()
    })
  },
})

export async function tell({ test, chapter, needs }: Story): Promise<void> {
  const { client } = test
  await chapter(() => nodesReady(test))
  await needs(async () => (await client.list(Node)).items.length === 3)
  await client.create(Namespace, namespace(shop))
  await client.create(Namespace, namespace('doomed'))
  await chapter(async () => (await test.find(ConfigMap, { namespace: shop, name: 'kube-root-ca.crt' })) !== undefined)
  // Nobody can make a pod before that, in however great a hurry.
  const account = { namespace: shop, name: 'default' }
  await needs(
    async () => (await test.find(ServiceAccount, account)) !== undefined,
    () => client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }),
  )

  await client.create(Service, service('web', shop))
  await client.create(Deployment, deployment('web', { namespace: shop, replicas: 3 }))
  await client.create(Deployment, deployment('doomed', { namespace: 'doomed', replicas: 2 }))
  await client.create(ConfigMap, configMap('settings', { a: '1' }, 'doomed'))
  await client.create(Job, job('once', 2, shop))
  await createCrowd(test, shop)
  const left = { namespace: shop, name: 'left-behind' }
  await chapter(async () => (await podsOf(test, 'batch.kubernetes.io/job-name=left-behind')) === 1)
  await client.delete(Job, left, { propagationPolicy: 'Orphan' })
  await chapter(async () => (await isAvailable(test, 'web', 3)) && (await isComplete(test, 'once')))

  // What does not tolerate the taint leaves the node, and may come back later.
  const taints = [{ key: 'maintenance', effect: 'NoExecute' }]
  await client.patch(Node, { name: 'node-2' }, { spec: { taints } }, merge)
  await chapter(async () => (await podsOn(test, 'node-2')) === 0 && (await isAvailable(test, 'web', 3)))
  await client.patch(Node, { name: 'node-2' }, { spec: { taints: null } }, merge)

  // A node is cut off, and given up; it comes back before its pods are.
  await changeSideCrowd(test, shop)
  await chapter(() => isSideUnderWay(test, shop))
  await endSideCrowd(test, shop)

  await client.patch(Deployment, { namespace: shop, name: 'web' }, { spec: { replicas: 5 } }, merge)
  await chapter(() => isAvailable(test, 'web', 5))

  const image = { spec: { template: { spec: { containers: [{ name: 'app', image: 'nginx:1.28' }] } } } }
  await client.patch(Deployment, { namespace: shop, name: 'web' }, image, strategic)
  await client.patch(DaemonSet, { namespace: shop, name: 'agent' }, image, strategic)
  await chapter(() => isAvailable(test, 'web', 5))

  const [victim] = (await client.list(Pod, { namespace: shop, labelSelector: 'app=web' })).items
  if (victim !== undefined) await client.delete(Pod, { namespace: shop, name: victim.metadata.name ?? '' })
  await client.delete(Job, { namespace: shop, name: 'once' }, { propagationPolicy: 'Foreground' })
  await client.delete(Deployment, { namespace: 'doomed', name: 'doomed' })
  await chapter(async () => (await client.list(ReplicaSet, { namespace: 'doomed' })).items.length === 0)
  await client.delete(Namespace, { name: 'doomed' })
  await client.patch(Deployment, { namespace: shop, name: 'web' }, { spec: { replicas: 2 } }, merge)
  await chapter(() => isOver(test))
}

/** The end of the story. */
export async function isOver(test: TestMachine): Promise<boolean> {
  const gone = async (): Promise<boolean> =>
    (await test.find(Namespace, { name: 'doomed' })) === undefined &&
    (await test.find(Job, { namespace: shop, name: 'once' })) === undefined &&
    (await test.find(Job, { namespace: shop, name: 'left-behind' })) === undefined
  const webPods = await podsOf(test, 'app=web')
  return (await isAvailable(test, 'web', 2)) && (await gone()) && webPods === 2 && (await isCrowdSettled(test, shop))
}

const podsOf = async ({ client }: TestMachine, labelSelector: string): Promise<number> =>
  (await client.list(Pod, { namespace: shop, labelSelector })).items.length

/** Pods of `web` on a node. */
const podsOn = async ({ client }: TestMachine, node: string): Promise<number> =>
  (await client.list(Pod, { namespace: shop, labelSelector: 'app=web', fieldSelector: `spec.nodeName=${node}` })).items
    .length

async function nodesReady(test: TestMachine): Promise<boolean> {
  const { items } = await test.client.list(Node)
  return (
    items.length === 3 &&
    items.every(({ status }) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'))
  )
}

async function isAvailable(test: TestMachine, name: string, replicas: number): Promise<boolean> {
  const found = await test.find(Deployment, { namespace: shop, name })
  const { observedGeneration, availableReplicas, updatedReplicas, replicas: all } = found?.status ?? {}
  return (
    observedGeneration === found?.metadata.generation &&
    availableReplicas === replicas &&
    updatedReplicas === replicas &&
    all === replicas
  )
}

async function isComplete(test: TestMachine, name: string): Promise<boolean> {
  const found = await test.find(Job, { namespace: shop, name })
  return (
    found?.status?.conditions?.some((condition) => condition.type === 'Complete' && condition.status === 'True') ===
    true
  )
}
