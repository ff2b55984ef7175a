// Kubernetes' words for "no node fits": `0/5 nodes are available: 3 Insufficient cpu, 2 node(s) …. preemption: …`.

import type { Refusal } from './refusal.ts'

export const noNodes = 'no nodes available to schedule pods'

interface Refusals {
  readonly allNodes: number
  readonly refusals: Iterable<Refusal>
  /** Of nodes that were not looked at. */
  readonly others?: { readonly count: number; readonly refusal: Refusal } | undefined
}

/** Reasons with how many nodes gave them, sorted as text. */
function histogram({ refusals, others }: Refusals): readonly string[] {
  const counts = new Map<string, number>()
  const count = ({ reasons }: Refusal, nodes: number): void => {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes)
  }
  for (const refusal of refusals) count(refusal, 1)
  if (others !== undefined && others.count > 0) count(others.refusal, others.count)
  return [...counts].map(([reason, nodes]) => `${nodes} ${reason}`).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

export function fitError(refusals: Refusals): string {
  const reasons = histogram(refusals)
  return `0/${refusals.allNodes} nodes are available:${reasons.length === 0 ? '' : ` ${reasons.join(', ')}.`}`
}

/** A plug-in refused all nodes before any was looked at. */
export const prepareError = (allNodes: number, { reasons }: Refusal): string =>
  `0/${allNodes} nodes are available: ${reasons.join(', ')}.`

/** Preemption has nothing to go by when no filter was asked, and says so. */
export const notAsked = 'not found'

/** What dynamic resources have to say of pods that claim none, and of those whose devices could (not) be given back. */
export const noClaims = 'no new claims to deallocate'
export const stillTaken = 'still not schedulable'
export const givingBack = 'deallocation of ResourceClaim completed'

/** What is said where preemption was tried in vain; `outcome` is its own text. */
export const inVain = (devices: string, outcome: string): string => `${devices}, preemption: ${outcome}`

const longestNote = 1024
const more = ' ...'

/** An Event's note must not be longer; a condition's message may be. */
export const shortened = (message: string): string =>
  message.length <= longestNote ? message : message.slice(0, longestNote - more.length) + more
