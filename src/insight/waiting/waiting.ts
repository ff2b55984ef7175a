// What the whole cluster waits for: every object that is not as it should be, with the loop whose turn it is. The answer to
// "which loop is stuck, and what gap does it see?" before anybody knows where to look.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import { type KubeObject, parseTime } from '#objects'
import type { Cache } from '#reconcile'
import { explainObject } from '../explain/explain.ts'
import { causeOf, type Finding } from '../explain/finding.ts'
import type { LoopState } from '../explain/loops.ts'
import type { Placements } from '../explain/placement.ts'
import { type Surroundings, surroundingsIn, surroundingsOf } from '../explain/surroundings.ts'
import { watchedKinds } from './gaps.ts'
import { rootsOf } from './roots.ts'

export interface WaitingObject {
  readonly group: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** From the object down to where the chain ends. */
  readonly findings: readonly Finding[]
  /** Other objects that wait for the same. */
  readonly holdsUp: readonly string[]
}

export interface Waiting {
  /** Stuck ones first. */
  readonly items: readonly WaitingObject[]
  /** How many more have a gap, and were not explained. */
  readonly more: number
}

/** So many are explained at most: a page is not read further. */
const explainedMax = 500
/** What is on its way for less than this is no news. */
const patienceMs = 10_000

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
  readonly loops?: readonly LoopState[]
}

interface Found {
  readonly kind: Kind
  readonly object: KubeObject
}

export async function explainWaiting(question: WaitingQuestion): Promise<Waiting> {
  const { client, cache, placements, now } = question
  const found = withGap(question)
  const surroundings = surroundingsIn(surroundingsOf(client, placements), { cache, kinds: waitingKinds })
  const explained = await Promise.all(
    found.slice(0, explainedMax).map((each) => explainFound(surroundings, each, question.loops ?? [])),
  )
  const items = explained.filter(({ findings }) => isNews(findings, now))
  const isStuck = ({ findings }: WaitingObject): number => Number(findings.some(({ state }) => state === 'stuck'))
  return {
    items: rootsOf(items)
      .map(({ item, holdsUp }) => ({ ...item, holdsUp }))
      .sort((a, b) => isStuck(b) - isStuck(a)),
    more: Math.max(0, found.length - explainedMax),
  }
}

export interface GapName {
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** A controller has made it. */
  readonly owned: boolean
}

/** Names of all that has a gap, unexplained. */
export const gapNames = (question: Omit<WaitingQuestion, 'client'>): readonly GapName[] =>
  withGap(question).map(({ kind, object: { metadata } }) => ({
    kind: kind.kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name ?? '',
    owned: metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false,
  }))

function withGap({ cache, now, namespace }: Omit<WaitingQuestion, 'client'>): readonly Found[] {
  const found: Found[] = []
  for (const { kind, hasGap } of watchedKinds) {
    if (namespace !== undefined && !kind.namespaced) continue
    for (const object of cache.list(kind, namespace)) if (hasGap(object, { now, cache })) found.push({ kind, object })
  }
  return found
}

async function explainFound(
  surroundings: Surroundings,
  { kind, object }: Found,
  loops: readonly LoopState[],
): Promise<WaitingObject> {
  const { namespace, name = '' } = object.metadata
  const findings = await explainObject(surroundings, { kind, object, loops })
  return {
    group: kind.group,
    kind: kind.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    findings,
    holdsUp: [],
  }
}

function isNews(findings: readonly Finding[], now: number): boolean {
  if (findings.some(({ state }) => state === 'stuck')) return true
  if (findings.every(({ state }) => state === 'converged')) return false
  const since = parseTime(causeOf(findings)?.since ?? findings[0]?.since)
  return since === undefined || since + patienceMs <= now
}
