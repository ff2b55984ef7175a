// How many looks at outside clusters are under way at a time: a cluster that answers slowly, or not at all, must not keep the
// workers from the other applications. Who finds no place is woken when one is free.

const perCluster = 5
const altogether = 14

export class Places {
  readonly #wake: (key: string) => void
  readonly #taken = new Map<string, number>()
  /** Keys that wait, by cluster, in their order. */
  readonly #waiting = new Map<string, Set<string>>()
  #all = 0

  constructor(wake: (key: string) => void) {
    this.#wake = wake
  }

  /** Answers how to leave the place again; undefined: there is none, and the key is woken. */
  enter(server: string, key: string): (() => void) | undefined {
    const taken = this.#taken.get(server) ?? 0
    if (taken >= perCluster || this.#all >= altogether) {
      const queue = this.#waiting.get(server) ?? new Set()
      this.#waiting.set(server, queue.add(key))
      return undefined
    }
    this.#taken.set(server, taken + 1)
    this.#all += 1
    let left = false
    return () => {
      if (left) return
      left = true
      this.#all -= 1
      this.#taken.set(server, (this.#taken.get(server) ?? 1) - 1)
      this.#letIn(server)
    }
  }

  /** One of the same cluster, and one of each that may have been kept out by the others. */
  #letIn(server: string): void {
    for (const [each, queue] of [...this.#waiting].sort(([a], [b]) => Number(b === server) - Number(a === server))) {
      if ((this.#taken.get(each) ?? 0) >= perCluster) continue
      const [first] = queue
      if (first === undefined) continue
      queue.delete(first)
      if (queue.size === 0) this.#waiting.delete(each)
      this.#wake(first)
      if (this.#all >= altogether) return
    }
  }
}
