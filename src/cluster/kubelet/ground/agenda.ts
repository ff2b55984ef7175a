// The near future of one pod: what is due when, and the processes (syncs, kills, hooks) that are under way. Time moves
// only when it is told to; what is due at the same moment runs in the order of its rank.

/** Smaller ranks first: what happens in the runtime, then what the kubelet sees of it, then what it does. */
export const rank = { runtime: 0, listing: 1, probe: 2, work: 3 } as const
export type Rank = (typeof rank)[keyof typeof rank]

interface Item {
  readonly at: number
  readonly rank: Rank
  readonly task: () => void
  cancelled: boolean
}

/** Something that processes wait for; once open it stays open. */
export class Gate {
  #open = false
  #waiting: (() => void)[] = []

  get isOpen(): boolean {
    return this.#open
  }

  open(): void {
    if (this.#open) return
    this.#open = true
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  whenOpen(go: () => void): void {
    if (this.#open) go()
    else this.#waiting.push(go)
  }
}

/** What a process waits for: so many milliseconds, gates, or whatever of both comes first. */
export interface Wait {
  readonly ms?: number
  readonly gates?: readonly Gate[]
}

export type Process<R = void> = Generator<Wait, R, void>

export class Agenda {
  now: number
  readonly #items: Item[] = []

  constructor(now: number) {
    this.now = now
  }

  /** When something is due next. */
  get nextAt(): number | undefined {
    while (this.#items[0]?.cancelled === true) this.#items.shift()
    return this.#items[0]?.at
  }

  at(at: number, itsRank: Rank, task: () => void): () => void {
    const item: Item = { at: Math.max(at, this.now), rank: itsRank, task, cancelled: false }
    const items = this.#items
    let i = items.length
    while (i > 0 && isLater(items[i - 1], item)) i -= 1
    items.splice(i, 0, item)
    return () => {
      item.cancelled = true
    }
  }

  /** Runs what is due up to `now`, in order. */
  advance(now: number): void {
    for (;;) {
      const next = this.#items[0]
      if (next === undefined || next.at > now) break
      this.#items.shift()
      if (next.cancelled) continue
      if (next.at > this.now) this.now = next.at
      next.task()
    }
    if (now > this.now) this.now = now
  }

  /** Runs a process until it has to wait, and on from there when its time has come. */
  run<R>(process: Process<R>, then?: (result: R) => void): void {
    for (;;) {
      const step = process.next()
      if (step.done === true) {
        then?.(step.value)
        return
      }
      const { ms, gates = [] } = step.value
      if (gates.some((gate) => gate.isOpen)) continue
      if (ms !== undefined && ms <= 0) continue
      this.#wait(step.value, () => this.run(process, then))
      return
    }
  }

  #wait({ ms, gates = [] }: Wait, resume: () => void): void {
    let waiting = true
    const once = (): void => {
      if (!waiting) return
      waiting = false
      resume()
    }
    if (ms !== undefined) this.at(this.now + ms, rank.work, once)
    for (const gate of gates) gate.whenOpen(once)
  }
}

const isLater = (a: Item | undefined, b: Item): boolean =>
  a !== undefined && (a.at > b.at || (a.at === b.at && a.rank > b.rank))
