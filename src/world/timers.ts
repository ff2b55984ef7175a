// Pending timers of a world, the earliest first: a binary heap ordered by due time, then by the order in which they were
// set. Cancelled timers stay in the heap until they come up, but are dropped wholesale when they are the majority.

export interface Timer {
  readonly dueAt: number
  readonly order: number
  readonly name: string
  readonly task: () => void
  cancelled: boolean
}

const before = (a: Timer, b: Timer): boolean => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)

export class Timers {
  #heap: Timer[] = []
  #order = 0
  #cancelled = 0

  /** How many timers are waiting. */
  get size(): number {
    return this.#heap.length - this.#cancelled
  }

  add(dueAt: number, name: string, task: () => void): Timer {
    const timer: Timer = { dueAt, order: this.#order++, name, task, cancelled: false }
    this.#heap.push(timer)
    this.#up(this.#heap.length - 1)
    return timer
  }

  cancel(timer: Timer): void {
    if (timer.cancelled) return
    timer.cancelled = true
    this.#cancelled += 1
    if (this.#cancelled > 1024 && this.#cancelled * 2 > this.#heap.length) this.#rebuild()
  }

  /** Due time of the earliest timer. */
  nextAt(): number | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (first === undefined) return undefined
      if (!first.cancelled) return first.dueAt
      this.#cancelled -= 1
      this.#removeFirst()
    }
  }

  /** Takes the earliest timer if it is due at `now`. */
  takeDue(now: number): Timer | undefined {
    const nextAt = this.nextAt()
    if (nextAt === undefined || nextAt > now) return undefined
    const first = this.#removeFirst()
    // A cancel that comes later finds a timer that is no longer in the heap.
    if (first !== undefined) first.cancelled = true
    return first
  }

  clear(): void {
    this.#heap = []
    this.#cancelled = 0
  }

  #removeFirst(): Timer | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (first === undefined || last === undefined || this.#heap.length === 0) return first
    this.#heap[0] = last
    this.#down(0)
    return first
  }

  #rebuild(): void {
    this.#heap = this.#heap.filter((timer) => !timer.cancelled)
    this.#cancelled = 0
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i -= 1) this.#down(i)
  }

  #up(start: number): void {
    const heap = this.#heap
    let i = start
    while (i > 0) {
      const parent = (i - 1) >> 1
      const a = heap[i]
      const b = heap[parent]
      if (a === undefined || b === undefined || !before(a, b)) return
      heap[i] = b
      heap[parent] = a
      i = parent
    }
  }

  #down(start: number): void {
    const heap = this.#heap
    let i = start
    for (;;) {
      let child = 2 * i + 1
      const left = heap[child]
      const right = heap[child + 1]
      const a = heap[i]
      if (left === undefined || a === undefined) return
      let least = left
      if (right !== undefined && before(right, left)) {
        child += 1
        least = right
      }
      if (!before(least, a)) return
      heap[i] = least
      heap[child] = a
      i = child
    }
  }
}
