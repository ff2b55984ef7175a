// What the whole cluster waits for: every object that is not as it should be, with the loop whose turn it is. The answer to
// "which loop is stuck, and what gap does it see?" before anybody knows where to look.

import { isNotFound } from '#api'
import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache } from '#reconcile'
import { explain } from '../explain/explain.ts'
import type { Finding } from '../explain/finding.ts'
import type { Placements } from '../explain/placement.ts'
import { watchedKinds } from './gaps.ts'

export interface WaitingObject {
  readonly group: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** From the object down to the loop that has the next step. */
  readonly findings: readonly Finding[]
}

export interface Waiting {
  /** Stuck ones first. */
  readonly items: readonly WaitingObject[]
  /** How many more have a gap, and were not explained. */
  readonly more: number
}

/** Each is explained by reading what is around it: so many at most. */
const explainedMax = 50

export const waitingKinds: readonly Kind[] = watchedKinds.map(({ kind }) => kind)

export interface WaitingQuestion {
  readonly client: Client
  /** Holds `waitingKinds`. */
  readonly cache: Cache
  /** World time in milliseconds. */
  readonly now: number
  /** Default: all of them, and what has none. */
  readonly namespace?: string
  readonly placements?: Placements
}

interface Found {
  readonly kind: Kind
  readonly object: KubeObject
}

export async function explainWaiting(question: WaitingQuestion): Promise<Waiting> {
  const found = withGap(question)
  const explained = await Promise.all(found.slice(0, explainedMax).map((each) => explainFound(question, each)))
  const items = explained.filter((item) => item !== undefined)
  const isStuck = ({ findings }: WaitingObject): number => Number(findings.some(({ state }) => state === 'stuck'))
  return { items: items.sort((a, b) => isStuck(b) - isStuck(a)), more: Math.max(0, found.length - explainedMax) }
}

export interface GapName {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** Names of all that has a gap, unexplained. */
export const gapNames = (question: Omit<WaitingQuestion, 'client'>): readonly GapName[] =>
  withGap(question).map(({ kind, object: { metadata } }) => ({
    kind: kind.kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name ?? '',
  }))

function withGap({ cache, now, namespace }: Omit<WaitingQuestion, 'client'>): readonly Found[] {
  const found: Found[] = []
  for (const { kind, hasGap } of watchedKinds) {
    if (namespace !== undefined && !kind.namespaced) continue
    for (const object of cache.list(kind, namespace)) if (hasGap(object, now)) found.push({ kind, object })
  }
  return found
}

async function explainFound(
  { client, placements }: WaitingQuestion,
  { kind, object }: Found,
): Promise<WaitingObject | undefined> {
  const { namespace, name = '' } = object.metadata
  const ref = { name, ...(namespace === undefined ? {} : { namespace }) }
  try {
    const findings = await explain(client, kind, placements === undefined ? ref : { ...ref, placements })
    if (findings.every(({ state }) => state === 'converged')) return undefined
    return { group: kind.group, kind: kind.kind, ...ref, findings }
  } catch (error) {
    // It has gone meanwhile.
    if (isNotFound(error)) return undefined
    throw error
  }
}
