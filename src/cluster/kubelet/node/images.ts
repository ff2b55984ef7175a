// The images of one node: which are there, what a pull gives, and that two pods that pull the same image at the same time
// wait for the same download.

import { digestOf } from '../ground/digest.ts'
import type { Timings } from '../ground/timings.ts'
import { parseImage } from '../workload/image-reference.ts'
import { type ImageWorkload, type Pull, pullOf, type Workloads } from '../workload/workload.ts'
import type { NodeFacts } from './node-facts.ts'

export interface PullPlan {
  readonly pull: Pull
  /** Until it is this pull's turn, and how long it takes then. */
  readonly waitMs: number
  readonly ms: number
}

interface Download {
  readonly endsAt: number
  readonly pull: Pull
}

interface Reported {
  readonly name: string
  readonly id: string
}

const reported = new WeakMap<ImageWorkload, Map<string, Reported>>()

/** Names and id under which the runtime reports an image. */
export function reportedImage(name: string, image: ImageWorkload): Reported {
  const known = reported.get(image) ?? new Map<string, Reported>()
  reported.set(image, known)
  const found = known.get(name) ?? reportOn(name, image)
  known.set(name, found)
  return found
}

function reportOn(name: string, image: ImageWorkload): Reported {
  const reference = parseImage(name)
  const full = reference?.full ?? name
  const repository = full.replace(/@.*$/, '').replace(/:[^/:]*$/, '')
  return {
    name: image.reportedName ?? full,
    id: image.imageID ?? `${repository}@${reference?.digest ?? digestOf(full)}`,
  }
}

export class NodeImages {
  readonly #workloads: Workloads
  readonly #timings: Timings
  readonly #ways: () => NodeFacts['imagePulls']
  readonly #present = new Set<string>()
  readonly #pulls = new Map<string, number>()
  readonly #downloads = new Map<string, Download>()
  /** Rises when other images are there than before. */
  version = 0
  #remembered = false

  constructor(workloads: Workloads, timings: Timings, ways: () => NodeFacts['imagePulls']) {
    this.#workloads = workloads
    this.#timings = timings
    this.#ways = ways
  }

  has(name: string): boolean {
    return this.#present.has(fullName(name)) || this.#workloads.image(name).present === true
  }

  /** Images that were pulled, by their full names. */
  get pulled(): Iterable<string> {
    return this.#present
  }

  /** The names of an image that was pulled: its digest, then as it was asked for. */
  namesOf(name: string): readonly string[] {
    const { id } = reportedImage(name, this.#workloads.image(name))
    return id === name || !id.includes('@') ? [name] : [id, name]
  }

  sizeOf(name: string): number {
    const image = this.#workloads.image(name)
    return image.sizeBytes ?? image.pulls?.find(({ result }) => result === 'ok')?.sizeBytes ?? 0
  }

  add(name: string): void {
    const full = fullName(name)
    if (this.#present.has(full)) return
    this.#present.add(full)
    this.version += 1
  }

  /** Images that were there before this kubelet began. */
  remember(names: readonly string[]): void {
    if (this.#remembered) return
    this.#remembered = true
    for (const name of names) this.add(name)
  }

  /** Unused images that have been there since before a moment, those first that came first. */
  removable(isUsed: (fullName: string) => boolean, before: number): readonly string[] {
    return [...this.#present]
      .map((name) => ({ name, since: this.#downloads.get(name)?.endsAt ?? 0 }))
      .filter(({ name, since }) => since <= before && !isUsed(name))
      .sort((a, b) => a.since - b.since)
      .map(({ name }) => name)
  }

  remove(fullName: string): void {
    if (this.#present.delete(fullName)) this.version += 1
  }

  pull(name: string, now: number): PullPlan {
    const full = fullName(name)
    const download = this.#downloads.get(full)
    if (download !== undefined && download.endsAt > now)
      return { pull: download.pull, waitMs: 0, ms: download.endsAt - now }
    const attempt = this.#pulls.get(full) ?? 0
    this.#pulls.set(full, attempt + 1)
    const pull = pullOf(this.#workloads.image(name), attempt)
    const { maxParallel, bytesPerSecond } = this.#ways()
    const bytes = pull.result === 'ok' ? (pull.sizeBytes ?? this.sizeOf(name)) : 0
    const seconds = Math.max(pull.seconds, bytes / bytesPerSecond)
    const ms = seconds * 1000 * this.#timings.pullFactor
    const beginsAt = this.#turnAt(now, maxParallel)
    this.#downloads.set(full, { endsAt: beginsAt + ms, pull })
    return { pull, waitMs: beginsAt - now, ms }
  }

  /** When a place is free for one more download. */
  #turnAt(now: number, maxParallel: number): number {
    if (maxParallel === Number.POSITIVE_INFINITY) return now
    const ends = [...this.#downloads.values()].map(({ endsAt }) => endsAt).filter((at) => at > now)
    return ends.sort((a, b) => b - a)[maxParallel - 1] ?? now
  }
}

const names = new Map<string, string>()
const limit = 5000

export function fullName(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const full = parseImage(name)?.full ?? name
  if (names.size >= limit) names.clear()
  names.set(name, full)
  return full
}
