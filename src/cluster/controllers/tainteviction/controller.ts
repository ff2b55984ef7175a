// Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer.
// Reads: Pods, Nodes.  Writes: Pods (condition DisruptionTarget, delete).

import { isNotFound } from '#api'
import { Node, Pod } from '#kinds'
import { isEqual, objectKey } from '#objects'
import {
  type Cache,
  done,
  isTerminating,
  type Kit,
  type Outcome,
  podsByNode,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { Notes } from '../notes.ts'
import { disruptionPatch, podCondition } from '../pods.ts'
import { decideStay, evictingTaints } from './decide.ts'

const component = 'taint-eviction-controller'
const evictionReason = 'DeletionByTaintManager'
/** Since when a pod has been on a tainted node, by its key. */
const noticed = new Notes()

export const taintEvictionController = defineController({
  name: 'tainteviction',
  account: 'node-controller',
  reconciles: Pod,
  watches: [watching(Pod, podOnTaintedNode), watching(Node, podsOfNode)],
  workers: 8,
  reconcile,
})

function podOnTaintedNode(pod: Pod, _old: Pod | undefined, cache: Cache): Iterable<string> {
  const node = pod.spec.nodeName ?? ''
  return node !== '' && evictingTaints(cache.get(Node, node)).length > 0 ? [objectKey(pod)] : []
}

function podsOfNode(node: Node, old: Node | undefined, cache: Cache): Iterable<string> {
  if (isEqual(evictingTaints(node), evictingTaints(old))) return []
  return cache.by(podsByNode, node.metadata.name ?? '').map(objectKey)
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const pod = kit.cache.get(Pod, key)
  // Somebody else was faster.
  if (pod === undefined) {
    cancel(kit, key)
    return done()
  }
  if (isEvicted(pod)) return done()
  const stay = decideStay(pod, evictingTaints(kit.cache.get(Node, pod.spec.nodeName ?? '')))
  if (stay.type === 'forever') {
    cancel(kit, key)
    return done()
  }
  if (stay.type === 'limited') {
    const now = kit.world.clock.now()
    const since = noticed.since(kit.world, key)
    const at = (stay.since ?? since) + stay.seconds * 1000
    if (at > now) return requeueAfter(at - now)
    noticed.forget(kit.world, key)
  } else cancel(kit, key)
  await evict(kit, pod)
  return done()
}

/** Whether this loop has deleted the pod already. One that ends for another reason is told to leave all the same. */
const isEvicted = (pod: Pod): boolean =>
  isTerminating(pod) && podCondition(pod, 'DisruptionTarget')?.reason === evictionReason

/** Takes back a deletion that was set for later. */
function cancel(kit: Kit, key: string): void {
  if (noticed.forget(kit.world, key)) announce(kit, key, `Cancelling deletion of Pod ${key}`)
}

async function evict(kit: Kit, pod: Pod): Promise<void> {
  announce(kit, objectKey(pod), `Marking for deletion Pod ${objectKey(pod)}`)
  const { uid } = pod.metadata
  try {
    const message = 'Taint manager: deleting due to NoExecute taint'
    const status = disruptionPatch(pod, evictionReason, message, kit.world.clock.now())
    const options = { type: 'application/strategic-merge-patch+json', subresource: 'status' } as const
    await kit.client.patch(Pod, refOf(pod), { status }, options)
    await kit.client.delete(Pod, refOf(pod), uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

/** The real loop remembers no more of a pod than its name: the Event has no uid. */
function announce(kit: Kit, key: string, message: string): void {
  const [namespace = '', name = ''] = key.split('/')
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name } }
  recordEvent(kit, { object, component, type: 'Normal', reason: 'TaintManagerEviction', message })
}
