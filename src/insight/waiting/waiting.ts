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
  /** Stuck ones first, what is on its way last. */
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
  const chosen = fairShare(found, explainedMax)
  const explained = await Promise.all(chosen.map((each) => explainFound(surroundings, each, question.loops ?? [])))
  const items = explained.filter(({ findings }) => isNews(findings, now))
  return {
    items: rootsOf(items)
      .map(({ item, holdsUp }) => ({ ...item, holdsUp }))
      .sort((a, b) => rankOf(a.findings) - rankOf(b.findings)),
    more: found.flat().length - chosen.length,
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
  withGap(question)
    .flat()
    .map(({ kind, object: { metadata } }) => ({
      kind: kind.kind,
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
      name: metadata.name ?? '',
      owned: metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false,
    }))

/** Stuck loops first, then what waits for a person's word, then what is on its way. */
function rankOf(findings: readonly Finding[]): number {
  if (!findings.some(({ state }) => state === 'stuck')) return 2
  return causeOf(findings)?.loop.startsWith('you: ') === true ? 1 : 0
}

/** By kind. */
function withGap({ cache, now, namespace }: Omit<WaitingQuestion, 'client'>): readonly (readonly Found[])[] {
  return watchedKinds
    .filter(({ kind }) => namespace === undefined || kind.namespaced)
    .map(({ kind, hasGap }) =>
      cache
        .list(kind, namespace)
        .filter((object) => hasGap(object, { now, cache }))
        .map((object) => ({ kind, object })),
    )
}

/** The first of each kind: a thousand Applications that nobody synced do not hide the node that is gone. */
export function fairShare<T>(lists: readonly (readonly T[])[], most: number): readonly T[] {
  let left = most
  const shares = new Map<readonly T[], number>()
  const shortestFirst = lists.toSorted((a, b) => a.length - b.length)
  for (const [i, list] of shortestFirst.entries()) {
    const share = Math.min(list.length, Math.floor(left / (lists.length - i)))
    shares.set(list, share)
    left -= share
  }
  return lists.flatMap((list) => list.slice(0, shares.get(list)))
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
