// Kubernetes' words for "no node fits": `0/5 nodes are available: 3 Insufficient cpu, 2 node(s) …. preemption: …`.

import type { Refusal } from './plugin.ts'

export interface Refused {
  readonly plugin: string
  readonly refusal: Refusal
}

export const noNodes = 'no nodes available to schedule pods'

/** Reasons with how many nodes gave them, sorted as text. */
export function histogram(refusals: Iterable<Refusal>): readonly string[] {
  const counts = new Map<string, number>()
  for (const { reasons } of refusals) {
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `${count} ${reason}`).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

export function fitError(allNodes: number, refusals: Iterable<Refusal>): string {
  const reasons = histogram(refusals)
  return `0/${allNodes} nodes are available:${reasons.length === 0 ? '' : ` ${reasons.join(', ')}.`}`
}

/** A plug-in refused all nodes before any was looked at. Preemption then has nothing to go by, and says so. */
export const prepareError = (allNodes: number, refusal: Refusal): string =>
  `0/${allNodes} nodes are available: ${refusal.reasons.join(', ')}. not found`

/** What is said where preemption was tried in vain; `outcome` is its own text. */
export const withPreemption = (message: string, outcome: string): string =>
  `${message} no new claims to deallocate, preemption: ${outcome}`
