// metadata.managedFields, made only when somebody reads them. Every stored version carries a ManagedChain: either the
// entries themselves or the write that they follow from. Values are kept by reference, so a link costs a few words;
// the chain is settled when it gets long, so that it cannot hold on to a whole history.

import {
  type AnyObject,
  areReadable,
  foldUpdates,
  isEqual,
  type ManagedFieldsEntry,
  type ManagedUpdate,
  type Schema,
} from '#objects'
import type { Entry } from '#store'
import { versionsOf } from './conversions.ts'
import { resetFieldsOf } from './reset-fields.ts'
import type { Scope } from './scope.ts'
import { fromStored, type Served } from './served.ts'

/** Who writes what: the few that there are, shared by all their writes. */
interface Writer {
  readonly served: Served
  readonly schema: Schema
  readonly manager: string
  readonly subresource: string
  readonly resetFields: readonly (readonly string[])[]
}

/** One Update as far as managed fields go. */
interface UpdateWrite {
  readonly writer: Writer
  /** The object before, in the version that it is kept in. */
  readonly live: AnyObject | undefined
  /** What the client sent, decoded and with defaults. */
  readonly incoming: AnyObject
  readonly time: string
}

type Update = Omit<ManagedUpdate, 'managedFields'>

/** Writes that wait to be turned into entries; more are settled at once. */
const maxPending = 16

const noEntries: readonly ManagedFieldsEntry[] = []

/** One of them stands behind every version of every object: it has no more fields than it needs. */
export class ManagedChain {
  #entries: readonly ManagedFieldsEntry[] | undefined
  #previous: ManagedChain | undefined
  #writer: Writer | undefined
  #live: AnyObject | undefined
  #incoming: AnyObject | undefined
  readonly #time: string
  readonly #pending: number

  private constructor(
    entries: readonly ManagedFieldsEntry[] | undefined,
    previous?: ManagedChain,
    write?: UpdateWrite,
  ) {
    this.#entries = entries
    this.#previous = previous
    this.#writer = write?.writer
    this.#live = write?.live
    this.#incoming = write?.incoming
    this.#time = write?.time ?? ''
    this.#pending = entries !== undefined ? 0 : (previous?.pending ?? 0) + 1
  }

  static of(entries: readonly ManagedFieldsEntry[]): ManagedChain {
    return new ManagedChain(entries)
  }

  static readonly empty = new ManagedChain(noEntries)

  get pending(): number {
    return this.#entries === undefined ? this.#pending : 0
  }

  /** True for the chain that one plain Update of `before` makes: nothing can have changed hands if no value changed. */
  follows(before: ManagedChain): boolean {
    return this.#entries === undefined && this.#previous === before
  }

  /** The chain after one more Update. */
  after(write: UpdateWrite): ManagedChain {
    const next = new ManagedChain(undefined, this, write)
    if (next.pending > maxPending) next.entries()
    return next
  }

  /** What came in was stored as it was, in the same version: one of both is enough to keep. */
  cameAs(stored: AnyObject): void {
    if (this.#incoming !== undefined) this.#incoming = stored
  }

  /** Works out the entries, oldest write first, and lets go of the values they came from. */
  entries(): readonly ManagedFieldsEntry[] {
    if (this.#entries !== undefined) return this.#entries
    const updates: Update[] = []
    let link: ManagedChain | undefined = this
    while (link !== undefined && link.#entries === undefined) {
      const update = link.#update()
      if (update !== undefined) updates.push(update)
      link = link.#previous
    }
    this.#entries = foldUpdates(link?.entries() ?? noEntries, updates.reverse())
    this.#previous = undefined
    this.#writer = undefined
    this.#live = undefined
    this.#incoming = undefined
    return this.#entries
  }

  /** The write that this link stands for. */
  #update(): Update | undefined {
    const [writer, incoming] = [this.#writer, this.#incoming]
    if (writer === undefined || incoming === undefined) return undefined
    const { served, schema, manager, subresource, resetFields } = writer
    const live = this.#live === undefined ? undefined : fromStored(served, this.#live)
    return {
      live,
      incoming,
      schema,
      manager,
      apiVersion: served.apiVersion,
      subresource,
      time: this.#time,
      resetFields,
      versions: versionsOf(served),
    }
  }
}

/** What an entry of the store carries; entries written without one own nothing. */
export const managedOf = (attachment: unknown): ManagedChain =>
  attachment instanceof ManagedChain ? attachment : ManagedChain.empty

/**
 * Whether `after` says the same as `before`, given that the object itself did not change. When it was said does not count: a
 * configuration that is applied again in another spelling of its values (`0.5` for `500m`) writes nothing.
 */
export const sameOwnership = (before: ManagedChain, after: ManagedChain): boolean =>
  after === before || after.follows(before) || isEqual(timeless(before), timeless(after))

const timeless = (chain: ManagedChain): readonly ManagedFieldsEntry[] =>
  chain.entries().map(({ time: _time, ...entry }) => entry)

const writers = new WeakMap<Served, Map<string, Writer>>()
/** Clients choose the names of managers: beyond this many, all are forgotten. */
const maxWriters = 1000

function writerOf({ served, manager, subresource }: Scope, schema: Schema): Writer {
  let known = writers.get(served)
  if (known === undefined || known.size >= maxWriters) {
    known = new Map()
    writers.set(served, known)
  }
  const name = subresource === '' ? manager : `${manager} ${subresource}`
  let writer = known.get(name)
  if (writer === undefined) {
    writer = { served, schema, manager, subresource, resetFields: resetFieldsOf(served, subresource) }
    known.set(name, writer)
  }
  return writer
}

function linkTo(scope: Scope, base: ManagedChain, live: AnyObject | undefined, incoming: AnyObject): ManagedChain {
  const { schema } = scope.served
  if (schema === undefined) return base
  return base.after({ writer: writerOf(scope, schema), live, incoming, time: scope.now() })
}

/** Ownership of a new object: its creator set everything. */
export const creationOf = (scope: Scope, incoming: AnyObject): ManagedChain =>
  linkTo(scope, baseOf(scope, ManagedChain.empty, incoming), undefined, incoming)

/** Ownership after an Update of `entry`. */
export const updateOf = (scope: Scope, entry: Entry, incoming: AnyObject): ManagedChain =>
  linkTo(scope, baseOf(scope, managedOf(entry.attachment), incoming), entry.value, incoming)

/**
 * What a write builds on: the live entries, unless the client sent entries of its own that can be read; none, or one empty entry,
 * clears them. A subresource cannot change them.
 */
function baseOf(scope: Scope, live: ManagedChain, incoming: AnyObject): ManagedChain {
  const sent = incoming.metadata.managedFields
  if (sent === undefined || sent === null || scope.subresource !== '') return live
  const [first] = sent
  if (first === undefined) return ManagedChain.empty
  if (sent.length === 1 && Object.keys(first).length === 0) return ManagedChain.empty
  return areReadable(sent) ? ManagedChain.of(sent) : live
}
