// Pods without a node, and when each may be tried again: at once (ready), after a back-off of 1 to 10 s, or when
// something has happened that could help (parked; after 5 min in any case). Held in memory only: a restart tries all.

import type { Happening } from './plugin.ts'
import { filterPlugins } from './plugins/index.ts'

const firstBackoffMs = 1000
const maxBackoffMs = 10_000
const longestParkedMs = 300_000

interface Entry {
  readonly key: string
  readonly priority: number
  attempts: number
  notBeforeMs: number
  parkedAtMs: number | undefined
  helpedBy: ReadonlySet<Happening>
}

/** When a pod may be tried: now (0), or in so many milliseconds. */
export type Delay = number

const helpOf = new Map(filterPlugins.map(({ name, helpedBy }) => [name, helpedBy]))

/** What may help a pod that these plug-ins refused. */
export function happeningsFor(plugins: ReadonlySet<string>): ReadonlySet<Happening> {
  if (plugins.size === 0) return new Set(['node'])
  return new Set([...plugins].flatMap((plugin) => helpOf.get(plugin) ?? []))
}

export class WaitingPods {
  readonly #entries = new Map<string, Entry>()
  readonly #parked = new Set<Entry>()
  readonly #ready = new Map<number, Set<string>>()

  /** A pod that has no node: new ones are ready. */
  add(key: string, priority: number): void {
    const known = this.#entries.get(key)
    if (known?.priority === priority) return
    this.forget(key)
    const entry: Entry = { key, priority, attempts: 0, notBeforeMs: 0, parkedAtMs: undefined, helpedBy: new Set() }
    this.#entries.set(key, entry)
    this.#makeReady(entry)
  }

  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#parked.delete(entry)
    this.#unready(entry)
  }

  delay(key: string, now: number): Delay {
    const entry = this.#entries.get(key)
    if (entry === undefined) return 0
    const parkedUntil = entry.parkedAtMs === undefined ? 0 : entry.parkedAtMs + longestParkedMs
    const until = Math.max(parkedUntil, entry.notBeforeMs)
    return until <= now ? 0 : until - now
  }

  /** A ready pod that is more important than this one. */
  moreImportant(key: string): string | undefined {
    if (this.#ready.size < 2) return undefined
    const priority = this.#entries.get(key)?.priority ?? 0
    const highest = Math.max(...this.#ready.keys())
    return highest > priority ? this.#ready.get(highest)?.values().next().value : undefined
  }

  /** No node was found: waits for one of these happenings, and for the back-off. */
  park(key: string, helpedBy: ReadonlySet<Happening>, now: number): void {
    this.retry(key, now)
    this.hold(key, helpedBy, now)
  }

  /** Waits for one of these happenings, and is tried at once then. */
  hold(key: string, helpedBy: ReadonlySet<Happening>, now: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    entry.parkedAtMs = now
    entry.helpedBy = helpedBy
    this.#unready(entry)
    this.#parked.add(entry)
  }

  /** The attempt failed for another reason. */
  retry(key: string, now: number): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#backOff(entry, now)
  }

  /** Wakes the parked pods that this may help, and answers their keys. */
  happened(happening: Happening): readonly string[] {
    if (this.#parked.size === 0) return []
    const woken: string[] = []
    for (const entry of this.#parked) {
      if (!entry.helpedBy.has(happening)) continue
      this.#parked.delete(entry)
      entry.parkedAtMs = undefined
      this.#makeReady(entry)
      woken.push(entry.key)
    }
    return woken
  }

  /** The pod itself changed (its tolerations, its gates): it is tried again without delay. */
  changed(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined || !this.#parked.delete(entry)) return
    entry.parkedAtMs = undefined
    this.#makeReady(entry)
  }

  #backOff(entry: Entry, now: number): void {
    entry.notBeforeMs = now + Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(entry.attempts, 10))
    entry.attempts += 1
  }

  #makeReady({ key, priority }: Entry): void {
    const keys = this.#ready.get(priority) ?? new Set<string>()
    keys.add(key)
    this.#ready.set(priority, keys)
  }

  #unready({ key, priority }: Entry): void {
    const keys = this.#ready.get(priority)
    if (keys?.delete(key) === true && keys.size === 0) this.#ready.delete(priority)
  }
}
