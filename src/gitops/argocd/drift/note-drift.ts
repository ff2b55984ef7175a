// Finds drift: what was as git wants it at the last look, and is not now though git wants the same. It is noted in the log and
// told as Events on the Application.
// Reads: live objects' managedFields.  Writes: Events.

import type { Destination } from '#gitops/destinations'
import { type Difference, keyText, type OwnedDifference, shownName, withOwners } from '#gitops/diff'
import { scrub } from '#gitops/source'
import { type Application, argocdNamespace, revisionsIn } from '#kinds'
import { formatTime, isEqual, type Json } from '#objects'
import { type Kit, recordEvent } from '#reconcile'
import type { Comparison, Entry } from '../comparison/comparison.ts'
import { readManagedFields } from '../comparison/owned-fields.ts'
import type { DriftEntry, DriftField, DriftLog } from './drift-log.ts'

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

function applicationName({ metadata }: Application): string {
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

const maxToldFields = 3
const maxToldLength = 60

/** `Deployment shop/web differs from git: spec.replicas is 9, not 3 (kubectl)`. */
function driftText(entry: DriftEntry): string {
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
