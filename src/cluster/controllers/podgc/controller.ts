// Removes pods that nobody else would: those of nodes that are gone, those that terminate without ever having had a node or
// on a node that is out of service, and the oldest finished ones when there are too many.
// Reads: Pods, Nodes.  Writes: Pods (status, delete).

import { isNotFound } from '#api'
import { Node, Pod } from '#kinds'
import { objectKey } from '#objects'
import {
  type Cache,
  done,
  type Index,
  isTerminating,
  type Kit,
  type Outcome,
  podsByNode,
  requeueAfter,
  watching,
} from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { findLive } from '../live.ts'
import { Notes } from '../notes.ts'
import { disruptionPatch, isPodFinished } from '../pods.ts'
import { surplusPods, terminatedPodLimit } from './decide.ts'

/** A node must be gone for so long before its pods go too: it may only be registering anew. */
const quarantineMs = 40_000
/** How often pods are looked through: until then one that nobody removes stays as it is. */
const periodMs = 20_000
const outOfServiceTaint = 'node.kubernetes.io/out-of-service'
const finishedKey = 'finished'

/** Since when a node has been missing. */
const missing = new Notes()

const finishedPods: Index<Pod> = { name: 'finished', kind: Pod, values: (pod) => (isPodFinished(pod) ? ['yes'] : []) }

/** Keys: `node <name>`, `pod <key>`, and one for all finished pods. */
export const podGarbageCollector = defineController({
  name: 'podgc',
  account: 'pod-garbage-collector',
  watches: [
    watching(Node, ({ metadata }) => [`node ${metadata.name}`]),
    watching(Pod, missingNodeOf),
    watching(Pod, keysOfPod, { batchMs: periodMs }),
  ],
  reconcile,
})

function missingNodeOf(pod: Pod, old: Pod | undefined, cache: Cache): readonly string[] {
  const node = pod.spec.nodeName ?? ''
  return node !== '' && old?.spec.nodeName !== node && cache.get(Node, node) === undefined ? [`node ${node}`] : none
}

function keysOfPod(pod: Pod, old: Pod | undefined, cache: Cache): readonly string[] {
  const node = pod.spec.nodeName ?? ''
  let keys: string[] | undefined
  const add = (key: string): void => {
    keys ??= []
    keys.push(key)
  }
  if (isTerminating(pod) && (node === '' || isOutOfService(cache.get(Node, node)))) add(`pod ${objectKey(pod)}`)
  if (isPodFinished(pod) && (old === undefined || !isPodFinished(old))) add(finishedKey)
  return keys ?? none
}

const none: readonly string[] = []

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  if (key === finishedKey) {
    for (const pod of surplusPods(kit.cache.by(finishedPods, 'yes'), terminatedPodLimit))
      await remove(kit, pod, undefined)
    return done()
  }
  const name = key.slice(key.indexOf(' ') + 1)
  return key.startsWith('node ') ? reconcileNode(name, kit) : reconcilePod(name, kit)
}

async function reconcileNode(name: string, kit: Kit): Promise<Outcome> {
  const node = kit.cache.get(Node, name)
  const pods = kit.cache.by(podsByNode, name)
  if (node !== undefined || pods.length === 0) {
    missing.forget(kit.world, name)
    if (isOutOfService(node)) for (const pod of pods) if (isTerminating(pod)) await remove(kit, pod, undefined)
    return done()
  }
  const now = kit.world.clock.now()
  const over = missing.since(kit.world, name) + quarantineMs
  if (now < over) return requeueAfter(over - now)
  if ((await findLive(kit, Node, { name })) !== undefined) return done()
  for (const pod of pods) await remove(kit, pod, 'PodGC: node no longer exists')
  missing.forget(kit.world, name)
  return done()
}

async function reconcilePod(key: string, kit: Kit): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  if (pod === undefined || !isTerminating(pod)) return done()
  const node = pod.spec.nodeName ?? ''
  if (node === '' || isOutOfService(kit.cache.get(Node, node))) await remove(kit, pod, undefined)
  return done()
}

function isOutOfService(node: Node | undefined): boolean {
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
  return !ready && node?.spec.taints?.some(({ key }) => key === outOfServiceTaint) === true
}

/** The pod is marked as failed first, so that whoever owns it knows what became of it. */
async function remove(kit: Kit, pod: Pod, disruption: string | undefined): Promise<void> {
  try {
    if (!isPodFinished(pod))
      await kit.client.patch(
        Pod,
        refOf(pod),
        { status: failed(kit, pod, disruption) },
        { type: 'application/strategic-merge-patch+json', subresource: 'status' },
      )
    const { uid } = pod.metadata
    await kit.client.delete(Pod, refOf(pod), {
      gracePeriodSeconds: 0,
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

function failed(kit: Kit, pod: Pod, message: string | undefined): object {
  const { generation } = pod.metadata
  const status = { phase: 'Failed', ...(generation === undefined ? {} : { observedGeneration: generation }) }
  if (message === undefined) return status
  return { ...status, ...disruptionPatch(pod, 'DeletionByPodGC', message, kit.world.clock.now()) }
}
