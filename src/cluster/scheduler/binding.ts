// Puts a pod on the node that was chosen for it.

import { ApiError, isConflict } from '#api'
import { Pod } from '#kinds'
import { done, type Kit, type Outcome, recordSeriesEvent, requeueAfter } from '#reconcile'
import type { At } from './desk.ts'
import { releaseClaims } from './devices/reserve.ts'
import { failed } from './failure.ts'
import type { PodFacts } from './pod-facts.ts'
import type { NodeState } from './view.ts'

export async function bind(facts: PodFacts, node: NodeState, { kit, desk }: At): Promise<Outcome> {
  const { memory, instance, profile } = desk
  const { pod, key, namespace } = facts
  const { name = '', uid = '' } = pod.metadata
  memory.snapshot.assume(facts, node.name)
  memory.reserved.delete(key)
  memory.waiting.placed(key)
  const binding = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node.name },
  }
  try {
    await kit.client.createSubresource(Pod, { namespace, name }, 'binding', binding)
  } catch (error) {
    // It may be done, and only the answer lost: what is bound keeps its room, though the cache does not know of it yet.
    if (mayBeBound(error) && (await nodeOf(pod, kit)) === node.name) return done()
    memory.giveUp(key)
    // Somebody else has bound it, or another pod has its name: the cache will say so.
    if (isConflict(error) && (await nodeOf(pod, kit)) !== '') {
      const now = kit.world.clock.now()
      memory.waiting.retry(key, now)
      return requeueAfter(memory.waiting.delay(key, now))
    }
    await releaseClaims(kit, facts)
    if (error instanceof ApiError)
      return failed(facts, `running Bind plugin "DefaultBinder": ${error.message}`, { kit, desk })
    memory.waiting.retry(key, kit.world.clock.now())
    throw error
  }
  recordSeriesEvent(kit, {
    object: pod,
    type: 'Normal',
    reason: 'Scheduled',
    action: 'Binding',
    note: `Successfully assigned ${namespace}/${name} to ${node.name}`,
    controller: profile.schedulerName,
    instance,
  })
  return done()
}

const mayBeBound = (error: unknown): boolean => !(error instanceof ApiError) || error.code >= 500

/** The node that it has by now, or none (''); undefined: it has gone, or nobody can tell. */
async function nodeOf({ metadata }: Pod, { client }: Kit): Promise<string | undefined> {
  const { namespace = '', name = '', uid } = metadata
  try {
    const fresh = await client.get(Pod, { namespace, name })
    return fresh.metadata.uid === uid ? (fresh.spec.nodeName ?? '') : undefined
  } catch {
    return undefined
  }
}
