// The drift log: what was changed in the cluster behind git's back: which field of which object, by whom, when, from what
// to what, and when it was corrected. Kept in memory (bounded) and told as Events on the Application.
// Reads: live objects' managedFields.  Writes: Events.

import type { Destination } from '#gitops/destinations'
import { type Difference, keyText, type OwnedDifference, shownName, withOwners } from '#gitops/diff'
import { scrub } from '#gitops/source'
import { type Application, argocdNamespace, revisionsIn } from '#kinds'
import { formatTime, isEqual, type Json } from '#objects'
import { type Kit, recordEvent } from '#reconcile'
import { readManagedFields } from '../comparison/ask.ts'
import type { Comparison, Entry } from '../comparison/comparison.ts'

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
const maxToldFields = 3
const maxToldLength = 60

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

export interface DriftInput {
  readonly kit: Kit
  /** Where its objects are. */
  readonly destination: Destination
  readonly app: Application
  readonly log: DriftLog
  readonly before: Comparison | undefined
  readonly after: Comparison
}

export async function noteDrift(input: DriftInput): Promise<void> {
  const application = applicationName(input.app)
  for (const entry of input.after.entries) {
    const id = keyText(entry.key)
    if (entry.sync !== 'OutOfSync' || entry.target === undefined) {
      if (entry.sync === 'Synced') tellCorrected(input, id, application)
    } else if (hasDrifted(input, entry, id)) {
      await noteOne(input, { entry, id, application })
    }
  }
}

export function applicationName({ metadata }: Application): string {
  return metadata.namespace === undefined || metadata.namespace === argocdNamespace
    ? (metadata.name ?? '')
    : `${metadata.namespace}/${metadata.name}`
}

/** It was as git wants it, and git still wants the same. */
function hasDrifted({ app, before, after, log }: DriftInput, entry: Entry, id: string): boolean {
  // The cluster refuses what git wants, and nobody has changed anything.
  if (entry.refusal !== undefined && entry.differences.length === 0) return false
  if (log.isOpen(applicationName(app), id))
    return before?.entries.find((each) => keyText(each.key) === id)?.live !== entry.live
  if (before !== undefined) {
    const earlier = before.entries.find((each) => keyText(each.key) === id)
    return earlier?.sync === 'Synced' && earlier.target === entry.target
  }
  // The first look since the start: what status said then tells, if it was said of the same place.
  if (!isEqual(app.status?.sync?.comparedTo?.destination, app.spec.destination)) return false
  if (app.status?.sync === undefined || !isEqual(revisionsIn(app.status.sync), after.resolved.revisions)) return false
  return (
    app.status.resources?.some(
      (each) =>
        each.status === 'Synced' &&
        each.kind === entry.key.kind &&
        each.name === entry.key.name &&
        (each.group ?? '') === entry.key.group &&
        (each.namespace ?? '') === entry.key.namespace,
    ) === true
  )
}

interface Drifted {
  readonly entry: Entry
  readonly id: string
  readonly application: string
}

async function noteOne(input: DriftInput, { entry, id, application }: Drifted): Promise<void> {
  const { kit, destination, app, log } = input
  const fields = entry.live === undefined ? [] : (await owned(destination, entry)).map(toField)
  const noted: DriftEntry = {
    application,
    ...entry.key,
    change: entry.live === undefined ? 'Deleted' : 'Modified',
    fields,
    detectedAt: formatTime(kit.world.clock.now()),
  }
  if (log.note(id, noted))
    recordEvent(kit, { object: app, type: 'Warning', reason: 'DriftDetected', message: driftText(noted) })
}

async function owned(
  destination: Destination,
  { kind, live, differences }: Entry,
): Promise<readonly OwnedDifference[]> {
  if (kind === undefined || live === undefined) return differences
  return withOwners(differences, await readManagedFields(destination, kind, live))
}

function toField({ path, live, desired, owner }: OwnedDifference & Difference): DriftField {
  return {
    path,
    ...(live === undefined ? {} : { live: withoutUrlSecrets(live) }),
    ...(desired === undefined ? {} : { desired: withoutUrlSecrets(desired) }),
    ...(owner === undefined
      ? {}
      : { manager: owner.manager, ...(owner.time === undefined ? {} : { managerTime: owner.time }) }),
  }
}

/** The address of a repository may be what drifted. */
const withoutUrlSecrets = (value: Json): Json => (typeof value === 'string' ? scrub(value) : value)

/** `Deployment shop/web differs from git: spec.replicas is 9, not 3 (kubectl)`. */
export function driftText(entry: DriftEntry): string {
  const name = shownName(entry)
  if (entry.change === 'Deleted') return `${name} was deleted`
  const told = entry.fields.slice(0, maxToldFields).map((field) => {
    const by = field.manager === undefined ? '' : ` (${field.manager})`
    return `${field.path} is ${shown(field.live)}, not ${shown(field.desired)}${by}`
  })
  const more = entry.fields.length - told.length
  return `${name} differs from git: ${told.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'absent'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > maxToldLength ? `${text.slice(0, maxToldLength)}…` : text
}

function tellCorrected({ kit, app, log }: DriftInput, id: string, application: string): void {
  const corrected = log.correct(application, id, formatTime(kit.world.clock.now()))
  if (corrected === undefined) return
  recordEvent(kit, {
    object: app,
    type: 'Normal',
    reason: 'DriftCorrected',
    message: `${shownName(corrected)} is as git says again`,
  })
}
