// What pods that have a node wish of others: their terms of affinity and anti-affinity, counted by where they are. The
// pods of a template have the same wishes, so a new pod is held against wishes, never against pods; and only against
// those that ask for one of its labels.

import { type AffinityTerm, termsOf } from './affinity-terms.ts'
import type { PodFacts } from './pod-facts.ts'
import { labelText } from './selector.ts'
import { type PodCounts, Tally } from './tally.ts'

export type WishKind = 'near' | 'far' | 'ratherNear' | 'ratherFar'

export interface Wish {
  readonly kind: WishKind
  readonly term: AffinityTerm
  /** 0 for what is required. */
  readonly weight: number
}

/** A wish, and where the pods are that have it. */
export interface CountedWish extends Wish {
  readonly counts: PodCounts
}

class KeptWish implements CountedWish {
  readonly kind: WishKind
  readonly term: AffinityTerm
  readonly weight: number
  readonly text: string
  readonly counts = new Tally()

  constructor({ kind, term, weight }: Wish, text: string) {
    this.kind = kind
    this.term = term
    this.weight = weight
    this.text = text
  }
}

function* wishesOf(pod: PodFacts): Iterable<Wish> {
  const { near, far, ratherNear, ratherFar } = termsOf(pod)
  for (const term of near) yield { kind: 'near', term, weight: 0 }
  for (const term of far) yield { kind: 'far', term, weight: 0 }
  for (const term of ratherNear) yield { kind: 'ratherNear', term, weight: term.weight }
  for (const term of ratherFar) yield { kind: 'ratherFar', term, weight: term.weight }
}

const texts = new WeakMap<AffinityTerm, string>()

/** The same for wishes that mean the same. */
export function textOfWish({ kind, term, weight }: Wish): string {
  let text = texts.get(term)
  if (text === undefined) {
    const { topologyKey, selector, namespaces, namespaceSelector, meansAll } = term
    const where = meansAll ? '*' : `${[...namespaces].sort().join()}|${namespaceSelector?.text ?? ''}`
    text = `${topologyKey}|${selector.text}|${where}`
    texts.set(term, text)
  }
  return `${kind}|${weight}|${text}`
}

export class WishIndex {
  readonly #wishes = new Map<string, KeptWish>()
  /** By the label that their selectors ask for; undefined: those that ask for none. */
  readonly #byAnchor = new Map<string | undefined, Set<KeptWish>>()

  get isEmpty(): boolean {
    return this.#wishes.size === 0
  }

  change(pod: PodFacts, nodeName: string, by: 1 | -1): void {
    if (!pod.hasAffinity) return
    for (const wish of wishesOf(pod)) {
      const kept = this.#keep(wish)
      kept.counts.change(nodeName, by)
      if (kept.counts.byNode.size === 0) this.#drop(kept)
    }
  }

  /** Wishes that may mean a pod with these labels. */
  *about(labels: PodFacts['labels']): Iterable<CountedWish> {
    if (this.#wishes.size === 0) return
    yield* this.#byAnchor.get(undefined) ?? []
    for (const key in labels) yield* this.#byAnchor.get(labelText(key, labels[key] ?? '')) ?? []
  }

  #keep(wish: Wish): KeptWish {
    const text = textOfWish(wish)
    const known = this.#wishes.get(text)
    if (known !== undefined) return known
    const kept = new KeptWish(wish, text)
    this.#wishes.set(text, kept)
    const others = this.#byAnchor.get(wish.term.selector.anchor)
    if (others === undefined) this.#byAnchor.set(wish.term.selector.anchor, new Set([kept]))
    else others.add(kept)
    return kept
  }

  #drop(wish: KeptWish): void {
    this.#wishes.delete(wish.text)
    const { anchor } = wish.term.selector
    const others = this.#byAnchor.get(anchor)
    if (others?.delete(wish) === true && others.size === 0) this.#byAnchor.delete(anchor)
  }
}

/** How many of these pods have a wish. */
export const countWishing = (pods: readonly PodFacts[], wish: Wish): number => {
  const text = textOfWish(wish)
  let count = 0
  for (const pod of pods) for (const own of wishesOf(pod)) if (textOfWish(own) === text) count += 1
  return count
}

/** The wishes of pods that are not in the index. */
export const wishesOfPods = (pods: readonly PodFacts[]): readonly Wish[] => {
  const found = new Map<string, Wish>()
  for (const pod of pods) for (const wish of wishesOf(pod)) found.set(textOfWish(wish), wish)
  return [...found.values()]
}
