// What `explain` says: which loop has the next step, what gap it sees, and where that can be read.

import type { KubeObject } from '#objects'
import type { Placement } from './placement.ts'

export interface Finding {
  /** `converged`: no gap. `progressing`: the loop is at work. `stuck`: it cannot close the gap by itself. */
  readonly state: 'converged' | 'progressing' | 'stuck'
  /** The loop whose turn it is: `scheduler`, `kubelet on node-1`, `deployment controller`. */
  readonly loop: string
  /** `Pod shop/web-1`. */
  readonly object: string
  /** What the loop observes against what it wants, in one sentence. */
  readonly gap: string
  /** Since when it is so, where an object tells. */
  readonly since?: string
  /** How many steps of the chain lie above it; none for the object that was asked about. */
  readonly depth?: number
  /** Fields, conditions and Events that show it. */
  readonly evidence: readonly string[]
  /** What a person can do, where something can be done. */
  readonly advice?: string
  /** Of a pod: what the scheduler found last. */
  readonly placement?: Placement
}

/** `Deployment shop/web`. */
export const describeObject = (object: KubeObject): string => {
  const { namespace, name } = object.metadata
  return `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name ?? ''}`
}

export interface ConditionLike {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export const conditionOf = (
  conditions: readonly ConditionLike[] | undefined,
  type: string,
): ConditionLike | undefined => conditions?.find((condition) => condition.type === type)

export const isReady = (status: { readonly conditions?: readonly ConditionLike[] } | undefined): boolean =>
  conditionOf(status?.conditions, 'Ready')?.status === 'True'

/** `condition Ready=False (ContainersNotReady: containers with unready status: [app])`. */
export function describeCondition(condition: ConditionLike): string {
  const why = [condition.reason, condition.message].filter((part) => part !== undefined && part !== '').join(': ')
  return `condition ${condition.type}=${condition.status}${why === '' ? '' : ` (${why})`}`
}

/** `since` as a field of a finding; nothing where it is not known. */
export const sinceTime = (time: string | undefined): { readonly since?: string } =>
  time === undefined || time === '' ? {} : { since: time }

const rank = { stuck: 0, progressing: 1, converged: 2 } as const

/**
 * Chains of what a finding waits for, one step deeper: the stuck ones first, of those the longest one; at most `limit`. Of
 * those that say the same (the pods of one template) the first speaks for all.
 */
export function below(chains: readonly (readonly Finding[])[], limit = 3): readonly Finding[] {
  const rankOf = ([head]: readonly Finding[]): number => (head === undefined ? 2 : rank[head.state])
  const open = chains
    .filter(([head]) => head !== undefined && head.state !== 'converged')
    .sort((a, b) => rankOf(a) - rankOf(b) || b.length - a.length)
  const alike = new Map<string, (readonly Finding[])[]>()
  for (const chain of open) {
    const same = alike.get(saidBy(chain))
    if (same === undefined) alike.set(saidBy(chain), [chain])
    else same.push(chain)
  }
  return [...alike.values()].slice(0, limit).flatMap(([chain = [], ...others]) =>
    chain.map((finding, i) => ({
      ...finding,
      depth: (finding.depth ?? 0) + 1,
      ...(i === 0 && others.length > 0
        ? {
            evidence: [
              ...finding.evidence,
              `${others.length} more ${others.length === 1 ? 'is' : 'are'} in the same state`,
            ],
          }
        : {}),
    })),
  )
}

/** The kind of the object and what is said of it and below it. */
export const saidBy = (chain: readonly Finding[]): string =>
  chain.map(({ object, gap, state }) => `${object.split(' ')[0]} ${state} ${gap}`).join('\n')

/** The findings that nothing lies below: where the chains end. */
export const endsOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ depth = 0 }, i) => (findings[i + 1]?.depth ?? 0) <= depth)

/** What to look at: the end of the first chain, which is the worst. */
export const causeOf = (findings: readonly Finding[]): Finding | undefined => endsOf(findings)[0]

/** Above that end, the loop that it holds up: the last one that is not the end's own. None where the end is all there is. */
export function heldUpIn(findings: readonly Finding[]): Finding | undefined {
  const cause = causeOf(findings)
  if (cause === undefined) return undefined
  return findings.slice(0, findings.indexOf(cause)).findLast(({ loop }) => loop !== cause.loop)
}

export const isStuck = (findings: readonly Finding[]): boolean => findings.some(({ state }) => state === 'stuck')

/** A finding with the chains below it: the loop that has the next step is the one at their end. */
export function withBelow(finding: Finding, chains: readonly (readonly Finding[])[]): readonly Finding[] {
  const findings = below(chains)
  const cause = causeOf(findings)
  if (cause === undefined) return [finding]
  const since = finding.since ?? cause.since
  const state = isStuck(findings) ? 'stuck' : finding.state
  return [{ ...finding, ...sinceTime(since), state, loop: cause.loop }, ...findings]
}
