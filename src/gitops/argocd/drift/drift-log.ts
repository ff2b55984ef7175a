// The drift log: what was changed in the cluster behind git's back: which field of which object, by whom, when, from what
// to what, and when it was corrected. Kept in memory, bounded.

import { isEqual, type Json } from '#objects'

export interface DriftField {
  readonly path: string
  /** Absent when the field is not there. */
  readonly live?: Json
  readonly desired?: Json
  /** Who owns the live value, and when it last wrote; absent when nobody says so. */
  readonly manager?: string
  readonly managerTime?: string
}

export interface DriftEntry {
  /** `name`, or `namespace/name` outside of the namespace argocd. */
  readonly application: string
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly change: 'Modified' | 'Deleted'
  readonly fields: readonly DriftField[]
  readonly detectedAt: string
  readonly correctedAt?: string
}

const maxEntries = 2000

export class DriftLog {
  /** Oldest first. */
  readonly #entries: DriftEntry[] = []
  /** Drift that is not corrected, by application and object, oldest first. */
  readonly #open = new Map<string, readonly DriftEntry[]>()

  /** Newest first. */
  list(application?: string): readonly DriftEntry[] {
    const chosen =
      application === undefined ? this.#entries : this.#entries.filter((entry) => entry.application === application)
    return [...chosen].reverse()
  }

  isOpen(application: string, id: string): boolean {
    return this.#open.has(keyFor(application, id))
  }

  /** Notes drift. False when it is what the log says already; what differs in another way than before is a new entry. */
  note(id: string, entry: DriftEntry): boolean {
    const key = keyFor(entry.application, id)
    const open = this.#open.get(key) ?? []
    const last = open.at(-1)
    if (last !== undefined && isSameDrift(last, entry)) return false
    this.#open.set(key, [...open, entry])
    this.#entries.push(entry)
    if (this.#entries.length > maxEntries) this.#forgetOldest()
    return true
  }

  /** Ends everything that is open for an object; undefined when nothing was. */
  correct(application: string, id: string, correctedAt: string): DriftEntry | undefined {
    const key = keyFor(application, id)
    const open = this.#open.get(key)
    this.#open.delete(key)
    for (const entry of open ?? []) {
      const at = this.#entries.lastIndexOf(entry)
      if (at >= 0) this.#entries[at] = { ...entry, correctedAt }
    }
    return open?.at(-1)
  }

  #forgetOldest(): void {
    const oldest = this.#entries.shift()
    for (const [key, open] of this.#open) {
      if (oldest === undefined || open[0] !== oldest) continue
      if (open.length === 1) this.#open.delete(key)
      else this.#open.set(key, open.slice(1))
    }
  }
}

const keyFor = (application: string, id: string): string => `${application} ${id}`

/** Fields without their managers: who wrote is known a moment later than what was written. */
function isSameDrift(a: DriftEntry, b: DriftEntry): boolean {
  const values = ({ fields }: DriftEntry) => fields.map(({ path, live, desired }) => ({ path, live, desired }))
  return a.change === b.change && isEqual(values(a), values(b))
}
