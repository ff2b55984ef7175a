// What the proxy of each node has in its kernel at an instant. All nodes are told the same; each writes its rules once a
// second, in a rhythm of its own, so what a node has is what was true at its last beat. A silent node stays with what it
// had when it fell silent, until its first beat after it is back. So one short history serves all nodes.

import type { EndpointSlice, Service } from '#kinds'
import { decideTable, type ServiceTable } from './service-table.ts'

/** kube-proxy writes its rules no more often than this (iptables.minSyncPeriod). */
export const syncPeriodMs = 1000

interface Version {
  readonly at: number
  readonly service: Service | undefined
  readonly slices: readonly EndpointSlice[]
  table?: ServiceTable | undefined
}

interface Silence {
  readonly from: number
  to: number
}

const never = Number.POSITIVE_INFINITY

function phaseOf(node: string): number {
  let hash = 2166136261
  for (let i = 0; i < node.length; i += 1) hash = Math.imul(hash ^ node.charCodeAt(i), 16777619)
  return (hash >>> 0) % syncPeriodMs
}

const lastBeat = (node: string, at: number): number => {
  const phase = phaseOf(node)
  return Math.floor((at - phase) / syncPeriodMs) * syncPeriodMs + phase
}

export class TableHistory {
  readonly #versions = new Map<string, Version[]>()
  readonly #silences = new Map<string, Silence>()
  /** Services that are gone, in the order in which they went. */
  readonly #gone = new Map<string, number>()
  /** When a silent node was heard last. */
  #heardAt = Number.NEGATIVE_INFINITY

  /** What holds of a Service from now on; undefined: it is gone. Before the first version there was the same. */
  put(
    key: string,
    version: { readonly service: Service | undefined; readonly slices: readonly EndpointSlice[] },
    at: number,
  ): void {
    const known = this.#versions.get(key)
    if (known === undefined) {
      if (version.service !== undefined) this.#versions.set(key, [{ ...version, at }])
      return
    }
    const last = known.at(-1)
    const isSame =
      last?.service === version.service &&
      last?.slices.length === version.slices.length &&
      version.slices.every((slice, i) => slice === last.slices[i])
    if (isSame) return
    known.push({ ...version, at })
    this.#gone.delete(key)
    if (version.service === undefined) this.#gone.set(key, at)
    const needed = this.#neededSince(at)
    while ((known[1]?.at ?? never) <= needed) known.shift()
    for (const [gone, since] of this.#gone) {
      if (since > needed) break
      this.#gone.delete(gone)
      this.#versions.delete(gone)
    }
  }

  /** Without tables, but with what is known of silent nodes. */
  anew(): TableHistory {
    const next = new TableHistory()
    for (const [node, silence] of this.#silences) next.#silences.set(node, silence)
    return next
  }

  silence(node: string, at: number): void {
    if (this.#silences.get(node)?.to !== never) this.#silences.set(node, { from: at, to: never })
  }

  hear(node: string, at: number): void {
    const silence = this.#silences.get(node)
    if (silence !== undefined) silence.to = at
    this.#heardAt = at
  }

  isSilent(node: string): boolean {
    return this.#silences.get(node)?.to === never
  }

  /** When a node last wrote its rules. */
  syncedAt(node: string, now: number): number {
    const beat = lastBeat(node, now)
    const silence = this.#silences.get(node)
    if (silence === undefined || beat < silence.from) return beat
    if (beat < silence.to) return lastBeat(node, silence.from)
    this.#silences.delete(node)
    return beat
  }

  /** The table that a node has; undefined when it knows of none. */
  tableOn(node: string, key: string, now: number): ServiceTable | undefined {
    const versions = this.#versions.get(key)
    if (versions === undefined) return undefined
    const synced = this.syncedAt(node, now)
    return tableOf(versions.findLast(({ at }) => at <= synced))
  }

  /** What every node that is not silent will have at last. */
  latest(key: string): ServiceTable | undefined {
    return tableOf(this.#versions.get(key)?.at(-1))
  }

  /** Until when some node that is not silent has another table than the latest. */
  settledAt(key: string): number {
    const versions = this.#versions.get(key) ?? []
    return Math.max(versions.at(-1)?.at ?? Number.NEGATIVE_INFINITY, this.#heardAt) + syncPeriodMs
  }

  #neededSince(now: number): number {
    let since = now - syncPeriodMs
    for (const { from } of this.#silences.values()) since = Math.min(since, from - syncPeriodMs)
    return since
  }
}

function tableOf(version: Version | undefined): ServiceTable | undefined {
  if (version?.service === undefined) return undefined
  if (!('table' in version)) version.table = decideTable(version.service, version.slices)
  return version.table
}
