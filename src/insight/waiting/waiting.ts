// What the whole cluster waits for: every object that is not as it should be, with the loop whose turn it is. The answer to
// "which loop is stuck, and what gap does it see?" before anybody knows where to look.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import { type KubeObject, parseTime } from '#objects'
import type { Cache } from '#reconcile'
import { explainObject } from '../explain/explain.ts'
import { causeOf, type Finding, isStuck, saidBy } from '../explain/finding.ts'
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
  /** Others of its kind of which the very same is to be said. */
  readonly alike: readonly string[]
}

export interface Waiting {
  /** Stuck ones first, what is on its way last. */
  readonly items: readonly WaitingObject[]
  /** How many more have a gap, and were not explained. */
  readonly more: number
}

export interface ExplainedWaiting extends Waiting {
  /** Of all that was explained, of what is folded into an item too. */
  readonly said: readonly Pick<WaitingObject, 'findings'>[]
}

/** So many are explained at most: a page is not read further. */
const explainedMax = 500
/** So many in one go. */
const explainedAtOnce = 10
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
  /** Called now and then: lets others have their turn. */
  readonly pause?: () => Promise<unknown>
}

interface Found {
  readonly kind: Kind
  readonly object: KubeObject
}

export async function explainWaiting(question: WaitingQuestion): Promise<ExplainedWaiting> {
  const { client, cache, placements, now } = question
  const found = withGap(question)
  const surroundings = surroundingsIn(surroundingsOf(client, placements), { cache, kinds: waitingKinds })
  const chosen = fairShare(found, explainedMax)
  const explained: WaitingObject[] = []
  for (let from = 0; from < chosen.length; from += explainedAtOnce) {
    const some = chosen.slice(from, from + explainedAtOnce)
    explained.push(...(await Promise.all(some.map((each) => explainFound(surroundings, each, question.loops ?? [])))))
    await question.pause?.()
  }
  const items = explained.filter(({ findings }) => isNews(findings, now))
  return {
    items: withoutTwins(rootsOf(items).map(({ item, holdsUp }) => ({ ...item, holdsUp }))).sort(
      (a, b) => rankOf(a.findings) - rankOf(b.findings),
    ),
    more: found.flat().length - chosen.length,
    said: items,
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

/** Three hundred of a kind with the same trouble are told by the first of them. */
function withoutTwins(items: readonly WaitingObject[]): WaitingObject[] {
  const bySaying = new Map<string, { first: WaitingObject; readonly others: WaitingObject[] }>()
  for (const item of items) {
    const saying = saidBy(item.findings)
    const known = bySaying.get(saying)
    if (known === undefined) bySaying.set(saying, { first: item, others: [] })
    else known.others.push(item)
  }
  return [...bySaying.values()].map(({ first, others }) => ({
    ...first,
    holdsUp: [first, ...others].flatMap(({ holdsUp }) => holdsUp),
    alike: others.map(({ findings }) => findings[0]?.object ?? ''),
  }))
}

/** Stuck loops first, then what waits for a person's word, then what is on its way. */
function rankOf(findings: readonly Finding[]): number {
  if (!isStuck(findings)) return 2
  return causeOf(findings)?.loop.startsWith('you: ') === true ? 1 : 0
}

/** By kind, and by what can be seen of each without looking around: those of a group mostly have one cause. */
function withGap({ cache, now, namespace }: Omit<WaitingQuestion, 'client'>): readonly (readonly Found[])[] {
  const groups: Found[][] = []
  for (const { kind, hasGap } of watchedKinds) {
    if (namespace !== undefined && !kind.namespaced) continue
    const byLook = new Map<string, Found[]>()
    for (const object of cache.list(kind, namespace)) {
      if (!hasGap(object, { now, cache })) continue
      const look = lookOf(object)
      const same = byLook.get(look)
      if (same === undefined) byLook.set(look, [{ kind, object }])
      else same.push({ kind, object })
    }
    groups.push(...byLook.values())
  }
  return groups
}

interface Look {
  readonly phase?: string
  readonly sync?: { readonly status?: string }
  readonly health?: { readonly status?: string }
  readonly conditions?: readonly { readonly type: string; readonly status?: string; readonly reason?: string }[]
}

function lookOf(object: KubeObject): string {
  const { phase, sync, health, conditions = [] } = ((object as { readonly status?: Look }).status ?? {}) as Look
  const told = conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)
  return [object.metadata.namespace, phase, sync?.status, health?.status, ...told].join('|')
}

/** The first of each group: a thousand Applications that nobody synced do not hide the node that is gone. */
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
    alike: [],
  }
}

function isNews(findings: readonly Finding[], now: number): boolean {
  if (isStuck(findings)) return true
  if (findings.every(({ state }) => state === 'converged')) return false
  const since = parseTime(causeOf(findings)?.since ?? findings[0]?.since)
  return since === undefined || since + patienceMs <= now
}
