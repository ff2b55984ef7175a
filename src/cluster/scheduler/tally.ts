// How many pods are where: by node, and by the domains of a division. Counts by domain are kept up as pods come and go,
// with the least of them at hand, so that asking costs nothing however many nodes and pods there are.

import type { Division } from './partition.ts'

export interface DomainCounts {
  /** Pods in any domain. */
  readonly total: number
  in(domain: string): number
  /** The least count of any domain of the division; undefined when it has none. */
  readonly least: number | undefined
  readonly domains: ReadonlySet<string>
}

export interface PodCounts {
  readonly total: number
  /** Only nodes with at least one. */
  readonly byNode: ReadonlyMap<string, number>
  on(nodeName: string): number
  over(division: Division): DomainCounts
}

/** So many divisions of one tally are kept up at a time. */
const limit = 8

export class Tally implements PodCounts {
  total = 0
  readonly byNode = new Map<string, number>()
  #kept: KeptCounts[] | undefined

  on(nodeName: string): number {
    return this.byNode.get(nodeName) ?? 0
  }

  over(division: Division): DomainCounts {
    const known = this.#kept?.find((counts) => counts.division === division)
    if (known !== undefined) return known
    const counts = new KeptCounts(division)
    for (const [nodeName, count] of this.byNode) counts.change(nodeName, count)
    this.#kept = [counts, ...(this.#kept ?? []).slice(0, limit - 1)]
    return counts
  }

  change(nodeName: string, by: number): void {
    this.total += by
    const count = this.on(nodeName) + by
    if (count === 0) this.byNode.delete(nodeName)
    else this.byNode.set(nodeName, count)
    if (this.#kept !== undefined) for (const counts of this.#kept) counts.change(nodeName, by)
  }

  addAll(other: Tally): void {
    for (const [nodeName, count] of other.byNode) this.change(nodeName, count)
  }
}

class KeptCounts implements DomainCounts {
  readonly division: Division
  total = 0
  readonly #counts = new Map<string, number>()
  /** How many domains have so many pods. */
  readonly #domainsWith = new Map<number, number>()
  #least = 0

  constructor(division: Division) {
    this.division = division
    this.#domainsWith.set(0, division.domains.size)
  }

  get domains(): ReadonlySet<string> {
    return this.division.domains
  }

  get least(): number | undefined {
    return this.division.domains.size === 0 ? undefined : this.#least
  }

  in(domain: string): number {
    return this.#counts.get(domain) ?? 0
  }

  change(nodeName: string, by: number): void {
    const domain = this.division.domainOf(nodeName)
    if (domain === undefined) return
    const before = this.in(domain)
    const after = before + by
    this.total += by
    this.#counts.set(domain, after)
    const left = (this.#domainsWith.get(before) ?? 0) - 1
    if (left === 0) this.#domainsWith.delete(before)
    else this.#domainsWith.set(before, left)
    this.#domainsWith.set(after, (this.#domainsWith.get(after) ?? 0) + 1)
    if (after < this.#least) this.#least = after
    // Steps up by one for every pod that was added, so this costs no more than the pods did.
    else while (!this.#domainsWith.has(this.#least)) this.#least += 1
  }
}

/** Counts as they would be with so many more (or fewer) pods on one node. */
export class ChangedCounts implements PodCounts {
  readonly #base: PodCounts
  readonly #nodeName: string
  readonly #by: number

  constructor(base: PodCounts, nodeName: string, by: number) {
    this.#base = base
    this.#nodeName = nodeName
    this.#by = by
  }

  get total(): number {
    return this.#base.total + this.#by
  }

  get byNode(): ReadonlyMap<string, number> {
    return new Map(this.#base.byNode).set(this.#nodeName, this.on(this.#nodeName))
  }

  on(nodeName: string): number {
    return this.#base.on(nodeName) + (nodeName === this.#nodeName ? this.#by : 0)
  }

  over(division: Division): DomainCounts {
    const base = this.#base.over(division)
    const changed = division.domainOf(this.#nodeName)
    if (changed === undefined || this.#by === 0) return base
    const by = this.#by
    const inside = (domain: string): number => base.in(domain) + (domain === changed ? by : 0)
    return {
      total: base.total + by,
      in: inside,
      domains: base.domains,
      get least() {
        let least = Number.POSITIVE_INFINITY
        for (const domain of base.domains) least = Math.min(least, inside(domain))
        return Number.isFinite(least) ? least : undefined
      },
    }
  }
}
