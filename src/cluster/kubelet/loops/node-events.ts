// What a kubelet says in Events about its node.

import type { NodeStatus } from '#kinds'
import { type Kit, recordEvent } from '#reconcile'
import { pressureWords } from '../node/node-object.ts'
import type { NodeEventText } from '../pressure/node-pressure.ts'

export const stateEvent = (name: string, kit: Kit, state: string): void =>
  nodeEvent(name, kit, { type: 'Normal', reason: state, message: `Node ${name} status is now: ${state}` })

export function nodeEvent(name: string, kit: Kit, { type, reason, message }: NodeEventText): void {
  // Kubelets write Events about their node under its name in place of its uid.
  const object = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid: name } }
  recordEvent(kit, { object, type, reason, message, component: 'kubelet', host: name })
}

export function announce(name: string, kit: Kit): void {
  nodeEvent(name, kit, { type: 'Normal', reason: 'Starting', message: 'Starting kubelet.' })
  for (const state of ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'])
    stateEvent(name, kit, state)
  const enforced = 'Updated Node Allocatable limit across pods'
  nodeEvent(name, kit, { type: 'Normal', reason: 'NodeAllocatableEnforced', message: enforced })
}

/** Names of the Events for conditions that are not what they were. */
export function pressureChanges(before: NodeStatus | undefined, after: NodeStatus): readonly string[] {
  const of = (status: NodeStatus | undefined, type: string) =>
    status?.conditions?.find((condition) => condition.type === type)?.status
  return pressureWords.flatMap(({ type, under, free }) => {
    const [old, now] = [of(before, type), of(after, type)]
    // A node that was lost says nothing of what it never had.
    return old === now || (old !== 'True' && now === 'False') ? [] : [now === 'True' ? under[2] : free[2]]
  })
}
