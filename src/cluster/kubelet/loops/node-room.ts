// A node that has too little left of something has a pod leave, or a container killed.

import type { Node } from '#kinds'
import { objectKey } from '#objects'
import type { Kit } from '#reconcile'
import { endForMemory } from '../ending/ending.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { NodePlace } from '../fleet/node-place.ts'
import { nodeEvent } from './node-events.ts'

/** Looks at what the node has left, and has a pod leave where that is too little; answers when to look again. */
export function keepRoom(
  node: Node,
  { pressure }: NodePlace,
  { kit, fleet }: { readonly kit: Kit; readonly fleet: Fleet },
): number | undefined {
  const now = kit.world.clock.now()
  const name = node.metadata.name ?? ''
  const { events, victim, killed, overdue } = pressure.check(node, now)
  for (const { type, reason, message } of events) nodeEvent(name, kit, { type, reason, message })
  if (killed !== undefined) {
    killed.run.agenda.advance(now)
    endForMemory(killed.run, killed.container)
    fleet.wakePod(objectKey(killed.run.pod))
  }
  if (victim !== undefined) {
    const { run, message, annotations, graceSeconds } = victim
    run.agenda.advance(now)
    run.tell({ type: 'Warning', reason: 'Evicted', message, annotations })
    run.disrupt(message)
    run.evict({ reason: 'Evicted', message }, graceSeconds)
    fleet.wakePod(objectKey(run.pod))
  }
  if (overdue !== undefined) {
    const message = 'Container runtime did not kill the pod within specified grace period.'
    overdue.tell({ type: 'Warning', reason: 'ExceededGracePeriod', message })
    fleet.wakePod(objectKey(overdue.pod))
  }
  return pressure.nextAt
}
