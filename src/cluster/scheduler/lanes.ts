// Pods that wait their turn, in the order in which they are taken: the most important first, and among equals the one that
// came first. Pods that back off lie in windows of whole seconds; within a window they are ordered in the same way.

interface Ranked {
  readonly key: string
  readonly priority: number
}

/** Pods that may be tried now. */
export class Lane {
  readonly #byPriority = new Map<number, Set<string>>()

  get isEmpty(): boolean {
    return this.#byPriority.size === 0
  }

  add({ key, priority }: Ranked): void {
    const keys = this.#byPriority.get(priority)
    if (keys === undefined) this.#byPriority.set(priority, new Set([key]))
    else keys.add(key)
  }

  delete({ key, priority }: Ranked): void {
    const keys = this.#byPriority.get(priority)
    if (keys?.delete(key) === true && keys.size === 0) this.#byPriority.delete(priority)
  }

  /** The highest priority in it. */
  get highest(): number | undefined {
    return this.#byPriority.size === 0 ? undefined : Math.max(...this.#byPriority.keys())
  }

  /** Asked for only where it is needed: the first of a large Set is slow to come by. */
  first(): Ranked | undefined {
    const priority = this.highest
    const key = priority === undefined ? undefined : this.#byPriority.get(priority)?.values().next().value
    return priority === undefined || key === undefined ? undefined : { key, priority }
  }

  /** In their order. */
  keys(): readonly string[] {
    return [...this.#byPriority].sort(([a], [b]) => b - a).flatMap(([, keys]) => [...keys])
  }
}

/** A pod that backs off until the end of this window. */
interface Windowed extends Ranked {
  readonly windowMs: number
}

const windowLengthMs = 1000

/** The window that a time lies in, named by its beginning. */
export const windowOf = (ms: number): number => ms - (ms % windowLengthMs)

/** When a window is over, and the pods in it have backed off. */
export const endOfWindow = (windowMs: number): number => windowMs + windowLengthMs

/** Pods that back off. */
export class Windows {
  readonly #lanes = new Map<number, Lane>()

  add(pod: Windowed): void {
    const lane = this.#lanes.get(pod.windowMs) ?? new Lane()
    lane.add(pod)
    this.#lanes.set(pod.windowMs, lane)
  }

  delete(pod: Windowed): void {
    const lane = this.#lanes.get(pod.windowMs)
    lane?.delete(pod)
    if (lane?.isEmpty === true) this.#lanes.delete(pod.windowMs)
  }

  /** The first pod of the earliest window. */
  first(): Windowed | undefined {
    if (this.#lanes.size === 0) return undefined
    const windowMs = Math.min(...this.#lanes.keys())
    const pod = this.#lanes.get(windowMs)?.first()
    return pod === undefined ? undefined : { ...pod, windowMs }
  }

  /** Takes out the pods whose windows are over, in their order. */
  takeOver(now: number): readonly string[] {
    if (this.#lanes.size === 0) return none
    const over = [...this.#lanes.keys()].filter((windowMs) => endOfWindow(windowMs) <= now).sort((a, b) => a - b)
    return over.flatMap((windowMs) => {
      const keys = this.#lanes.get(windowMs)?.keys() ?? []
      this.#lanes.delete(windowMs)
      return keys
    })
  }
}

const none: readonly string[] = []
