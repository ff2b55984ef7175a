// The resizes that wait for room on one node (allocation manager): whenever there may be room, all of them are looked at in
// the order of their weight, each one with what those before it have just been given.

import { type Pod, podRequests } from '#kinds'

/** They are looked at again after this in any case. */
const againMs = 180_000

export interface WaitingResize {
  /** The pod as it is asked for, and as it was given room last. */
  readonly wanted: Pod
  readonly given: Pod
  /** Since when it waits; undefined until it was looked at. */
  readonly since: number | undefined
  /** Looks whether there is room now; true while it is to wait on. */
  attempt(now: number): boolean
}

export class ResizeQueue {
  #waiting: readonly WaitingResize[] = []
  #lookedAt = Number.NEGATIVE_INFINITY

  /** When all of them are looked at again if nothing happens before. */
  get againAt(): number {
    return this.#lookedAt + againMs
  }

  /** Adds one, which takes its place among the others; those keep the places that they had. */
  push(resize: WaitingResize): void {
    if (this.#waiting.includes(resize)) return
    this.#waiting = [...this.#waiting, resize].sort(compareResizes)
  }

  retry(now: number): void {
    if (this.#waiting.length === 0) return
    this.#lookedAt = now
    this.#waiting = this.#waiting.filter((resize) => resize.attempt(now))
  }
}

function isIncreasing({ wanted, given }: WaitingResize): boolean {
  const [before, after] = [podRequests(given.spec), podRequests(wanted.spec)]
  return after.milliCpu > before.milliCpu || after.memory > before.memory
}

const isGuaranteed = ({ wanted }: WaitingResize): boolean => wanted.status?.qosClass === 'Guaranteed'

/** What asks for no more comes first, then by priority, class of service and the time that it has waited. */
export function compareResizes(a: WaitingResize, b: WaitingResize): number {
  const grows = Number(isIncreasing(a)) - Number(isIncreasing(b))
  if (grows !== 0) return grows
  const priority = (b.wanted.spec.priority ?? 0) - (a.wanted.spec.priority ?? 0)
  if (priority !== 0) return priority
  const guaranteed = Number(isGuaranteed(b)) - Number(isGuaranteed(a))
  if (guaranteed !== 0) return guaranteed
  const [since, other] = [a, b].map((one) => one.since ?? Number.POSITIVE_INFINITY)
  return since === other ? 0 : (since ?? 0) < (other ?? 0) ? -1 : 1
}
