// What the proxy of each node has in its kernel at an instant. All nodes are told the same at the same time, and each writes
// its rules as kube-proxy's BoundedFrequencyRunner lets it: at once, but not within a second of the last time; a little
// later on one node than on another. A silent node stays with what it had. So one short history serves all nodes.

import type { EndpointSlice, Service } from '#kinds'
import { decideTable, type ServiceTable } from './service-table.ts'

/** kube-proxy writes its rules no more often than this (iptables.minSyncPeriod). */
const syncPeriodMs = 1000
/** Hearing of a change and writing the rules takes a node so long, and up to so much longer. */
const leastLagMs = 30
const moreLagMs = 200
/** After this, all nodes have what they were told. */
export const settlesAfterMs = syncPeriodMs + leastLagMs + moreLagMs

interface State {
  readonly service: Service | undefined
  readonly slices: readonly EndpointSlice[]
}

interface Version extends State {
  readonly at: number
  table?: ServiceTable | undefined
}

interface Silence {
  /** The last rules that it wrote. */
  readonly run: number
  /** When it was heard again. */
  to: number
}

const never = Number.POSITIVE_INFINITY
const always = Number.NEGATIVE_INFINITY

function lagOf(node: string): number {
  let hash = 2166136261
  for (let i = 0; i < node.length; i += 1) hash = Math.imul(hash ^ node.charCodeAt(i), 16777619)
  return leastLagMs + ((hash >>> 0) % moreLagMs)
}

export class TableHistory {
  readonly #versions = new Map<string, Version[]>()
  readonly #silences = new Map<string, Silence>()
  /** When rules were, or will be, written: what was told before is in them. Ascending. */
  #runs: number[] = [always]
  #told = always
  /** Services that are gone, in the order in which they went. */
  readonly #gone = new Map<string, number>()

  /** What holds of a Service from now on; without a Service: it is gone. */
  put(key: string, state: State, now: number): void {
    const known = this.#versions.get(key)
    if (known === undefined && state.service === undefined) return
    if (isSame(known?.at(-1), state)) return
    const at = this.#stamp(now)
    this.#versions.set(key, [...(known ?? []), { ...state, at }])
    this.#gone.delete(key)
    if (state.service === undefined) this.#gone.set(key, at)
    this.#plan(at)
    this.#prune(key, now)
  }

  /** Without tables, but with what is known of silent nodes. */
  anew(): TableHistory {
    const next = new TableHistory()
    for (const [node, silence] of this.#silences) next.#silences.set(node, silence)
    return next
  }

  silence(node: string, at: number): void {
    if (!this.isSilent(node)) this.#silences.set(node, { run: this.#runOn(node, at), to: never })
  }

  hear(node: string, at: number): void {
    const silence = this.#silences.get(node)
    if (silence !== undefined) silence.to = at
    this.#plan(at)
  }

  isSilent(node: string): boolean {
    return this.#silences.get(node)?.to === never
  }

  /** The table that a node has; undefined when it knows of none. */
  tableOn(node: string, key: string, now: number): ServiceTable | undefined {
    const versions = this.#versions.get(key)
    if (versions === undefined) return undefined
    const run = this.#runOn(node, now)
    return tableOf(versions.findLast(({ at }) => at <= run))
  }

  /** From when on no node that is not silent has another table than the latest. */
  settledAt(key: string): number {
    const told = Math.floor(this.#versions.get(key)?.at(-1)?.at ?? always)
    const heard = Math.max(always, ...[...this.#silences.values()].map(({ to }) => (to === never ? always : to)))
    return Math.max(told, heard) + settlesAfterMs
  }

  /** The last time that a node wrote its rules. */
  #runOn(node: string, now: number): number {
    const lag = lagOf(node)
    const silence = this.#silences.get(node)
    const since = silence?.to ?? always
    return this.#runs.findLast((run) => run + lag <= now && run + lag >= since) ?? silence?.run ?? always
  }

  /** What is told in the same instant is told in an order: a proxy begins to write with the first of it. */
  #stamp(now: number): number {
    this.#told = Math.max(now, this.#told + 0.001)
    return this.#told
  }

  #plan(at: number): void {
    const last = this.#runs.at(-1) ?? always
    if (last < at) this.#runs.push(Math.max(at, last + syncPeriodMs))
  }

  /** Keeps what some node may still have, however long it has been silent. */
  #prune(key: string, now: number): void {
    const recent = now - 2 * settlesAfterMs
    for (const [node, { to }] of this.#silences) if (to < recent) this.#silences.delete(node)
    const needed = new Set([...this.#silences.values()].map(({ run }) => run))
    needed.add(this.#runs.findLast((run) => run <= recent) ?? always)
    this.#runs = this.#runs.filter((run) => run >= recent || needed.has(run))
    const versions = this.#versions.get(key) ?? []
    const kept = versions.filter(({ at }, i) => {
      const next = versions[i + 1]?.at ?? never
      return next >= recent || this.#runs.some((run) => at <= run && run < next)
    })
    this.#versions.set(key, kept)
    for (const [gone, since] of this.#gone) {
      if (since > (this.#runs[0] ?? always)) break
      this.#gone.delete(gone)
      this.#versions.delete(gone)
    }
  }
}

const isSame = (known: State | undefined, { service, slices }: State): boolean =>
  known?.service === service &&
  known?.slices.length === slices.length &&
  slices.every((slice, i) => slice === known.slices[i])

function tableOf(version: Version | undefined): ServiceTable | undefined {
  if (version?.service === undefined) return undefined
  if (!('table' in version)) version.table = decideTable(version.service, version.slices)
  return version.table
}
