// What services outside have answered, so that they are asked when it is time and not whenever a set is looked at. It could
// all be asked again: a restart does. An answer counts until it is due, a webhook comes, or what it was asked with changes.

import type { Asks } from '../providers/api.ts'
import { GeneratorFault } from './fault.ts'

export type Reads = Pick<Asks, 'secret' | 'configMap'>

export interface Asking<T> {
  readonly ttlMs: number
  /** Everything that it asks of the cluster it asks of `reads`. */
  readonly load: (reads: Reads) => Promise<T>
}

interface Kept {
  readonly expiresAt: number
  readonly answer: { readonly value: unknown } | { readonly fault: GeneratorFault }
  readonly isUnchanged: (reads: Reads) => boolean
}

/** A service that failed is not asked again before. */
const afterFaultMs = 60_000

/** Answers for one ApplicationSet. */
export class Answers {
  readonly #kept = new Map<string, Kept>()
  #used = new Set<string>()

  /** Begins a look: what it does not use is forgotten at its end. */
  begin(): void {
    this.#used = new Set()
  }

  /** When the first of the answers that were used is due. */
  end(): number | undefined {
    for (const key of this.#kept.keys()) if (!this.#used.has(key)) this.#kept.delete(key)
    const times = [...this.#kept.values()].map(({ expiresAt }) => expiresAt)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  async remembered<T>(
    key: string,
    { ttlMs, load }: Asking<T>,
    { reads, now }: { readonly reads: Reads; readonly now: () => number },
  ): Promise<T> {
    this.#used.add(key)
    const before = this.#kept.get(key)
    if (before !== undefined && before.expiresAt > now() && before.isUnchanged(reads)) return given<T>(before)
    const noted = noting(reads)
    let kept: Kept
    try {
      const value = await load(noted.reads)
      kept = { expiresAt: now() + ttlMs, answer: { value }, isUnchanged: noted.isUnchanged }
    } catch (error) {
      if (!(error instanceof GeneratorFault)) throw error
      const expiresAt = now() + Math.min(ttlMs, afterFaultMs)
      kept = { expiresAt, answer: { fault: error }, isUnchanged: noted.isUnchanged }
    }
    this.#kept.set(key, kept)
    return given<T>(kept)
  }
}

function given<T>({ answer }: Kept): T {
  if ('fault' in answer) throw answer.fault
  return answer.value as T
}

/** Reads that can be read again to see whether they still say the same. */
function noting(reads: Reads): { readonly reads: Reads; readonly isUnchanged: (reads: Reads) => boolean } {
  const seen: { readonly read: (reads: Reads) => string; readonly value: string }[] = []
  const note = (read: (reads: Reads) => string): string => {
    const value = attempt(() => read(reads))
    seen.push({ read, value })
    return read(reads)
  }
  return {
    reads: {
      secret: (ref) => note((from) => from.secret(ref)),
      configMap: (ref) => note((from) => from.configMap(ref)),
    },
    isUnchanged: (now) => seen.every(({ read, value }) => attempt(() => read(now)) === value),
  }
}

/** What is missing reads as the message that says so. */
function attempt(read: () => string): string {
  try {
    return read()
  } catch (error) {
    if (error instanceof GeneratorFault) return error.message
    throw error
  }
}
