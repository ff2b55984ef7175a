// Where two lines of history have parted.

import type { GitObjects } from './git-objects.ts'
import type { Commit } from './parse-object.ts'

/** More commits than this are not walked. */
const walkedMax = 200_000

const ofA = 1
const ofB = 2
const both = ofA | ofB

/**
 * The newest commit that both lead back to; undefined when there is none, or when the history that is here ends before it
 * (a shallow clone). Newer commits are walked first, so that it is found as soon as both walks have met.
 */
export async function mergeBase(objects: GitObjects, a: Commit, b: Commit): Promise<Commit | undefined> {
  const sides = new Map<string, number>()
  const queue = new NewestFirst()
  const mark = (commit: Commit, side: number): void => {
    const before = sides.get(commit.id) ?? 0
    if ((before | side) === before) return
    sides.set(commit.id, before | side)
    queue.add(commit)
  }
  mark(a, ofA)
  mark(b, ofB)
  for (let walked = 0; walked < walkedMax; walked += 1) {
    const commit = queue.take()
    if (commit === undefined) return undefined
    const side = sides.get(commit.id) ?? 0
    if (side === both) return commit
    for (const id of commit.parents) {
      const parent = await objects.commit(id)
      if (parent !== undefined) mark(parent, side)
    }
  }
  return undefined
}

/** A heap of commits by date. */
class NewestFirst {
  readonly #heap: Commit[] = []

  add(commit: Commit): void {
    const heap = this.#heap
    let at = heap.push(commit) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (!this.#isNewer(at, above)) return
      this.#swap(at, above)
      at = above
    }
  }

  take(): Commit | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    heap[0] = last
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const newest = right < heap.length && this.#isNewer(right, left) ? right : left
      if (newest >= heap.length || !this.#isNewer(newest, at)) return first
      this.#swap(newest, at)
      at = newest
    }
  }

  #isNewer(a: number, b: number): boolean {
    return (this.#heap[a]?.committedMs ?? 0) > (this.#heap[b]?.committedMs ?? 0)
  }

  #swap(a: number, b: number): void {
    const [one, other] = [this.#heap[a], this.#heap[b]]
    if (one === undefined || other === undefined) return
    this.#heap[a] = other
    this.#heap[b] = one
  }
}
