// The store's face: a revisioned map in memory (MVCC: one counter, a bounded history), with watches from a revision and,
// when it is given a file, durability. Knows no kinds: a bucket is a collection's name and a key is `namespace/name` or
// `name`. Everything but `durable` is synchronous, so read-check-write needs no lock.

import type { AnyObject } from '#objects'

/** One version of one object. Never changed after it was stored; `value.metadata.resourceVersion` is its revision. */
export interface Entry {
  readonly bucket: string
  readonly key: string
  readonly value: AnyObject
  readonly revision: number
  /** What the writer keeps beside the value (the API server: how to make managedFields). Persisted by the codec. */
  readonly attachment: unknown
}

/** Turns an entry into what is written to disk, and back. Called at commit time, once for each version written. */
export interface Codec {
  encode(entry: Entry): unknown
  decode(
    bucket: string,
    key: string,
    revision: number,
    encoded: unknown,
  ): { readonly value: AnyObject; readonly attachment: unknown }
}

export interface StoreEvent {
  readonly revision: number
  /** `current` is undefined for a deletion; `previous` is undefined for a creation. */
  readonly current: Entry | undefined
  readonly previous: Entry | undefined
  /** For a deletion: the last value, carrying the deletion's own revision as resourceVersion. */
  readonly deleted?: AnyObject
}

export interface ListPage {
  /** In key order. */
  readonly entries: readonly Entry[]
  /** Revision at which the page is exact. */
  readonly revision: number
  /** Entries behind this page; 0 on the last one. */
  readonly remaining: number
}

export interface ListOptions {
  /** Only keys that begin with this (`namespace/`). */
  readonly prefix?: string
  /** Only keys greater than this one: the last key of the page before. */
  readonly after?: string
  readonly limit?: number
  /** As of this revision. Throws RevisionGoneError when the history no longer reaches back. */
  readonly revision?: number
}

export interface WatchOptions {
  readonly prefix?: string
  /** Events after this revision; default: from now on. Throws RevisionGoneError when that is too old. */
  readonly after?: number
}

/** Events wait here until they are taken. When too many do, the watch ends with `overflowed` set. */
export interface StoreWatch {
  /** Takes what has arrived (at most `max`), without waiting; empty when there is nothing. */
  take(max?: number): readonly StoreEvent[]
  /** Calls `wake` once when something can be taken or the watch has ended. */
  onReady(wake: () => void): void
  /** Every event up to this revision has been handed to this watch: what a bookmark may promise once it is drained. */
  readonly revision: number
  readonly ended: boolean
  readonly overflowed: boolean
  close(): void
}

export interface Store {
  /** Revision of the last write. */
  readonly revision: number
  get(bucket: string, key: string): Entry | undefined
  list(bucket: string, options?: ListOptions): ListPage
  count(bucket: string, prefix?: string): number
  buckets(): readonly string[]
  /**
   * Writes one version. `make` gets the revision that the write will have and returns the value (with that
   * resourceVersion) and attachment. `expected` is the revision the key must have now (0: must not exist); any other
   * state throws RevisionConflictError and writes nothing.
   */
  put(
    bucket: string,
    key: string,
    expected: number,
    make: (revision: number) => { readonly value: AnyObject; readonly attachment: unknown },
  ): Entry
  /** Removes a key. `make` gets the deletion's revision and returns the last value as watchers shall see it. */
  delete(bucket: string, key: string, expected: number, make: (revision: number) => AnyObject): StoreEvent
  watch(bucket: string, options?: WatchOptions): StoreWatch
  /** Resolves when every write up to `revision` is on disk (at once for a store without a file). */
  durable(revision: number): Promise<void>
  /** Forgets history up to `revision`; lists and watches from before it fail as gone. */
  compact(revision: number): void
  /** Forgets history up to `revision` too, but for the last `keep` events of every bucket. */
  trim(revision: number, keep: number): void
  close(): Promise<void>
}

/** The history no longer reaches back to `requested`: list again. */
export class RevisionGoneError extends Error {
  override readonly name = 'RevisionGoneError'
  readonly requested: number
  readonly oldest: number
  constructor(requested: number, oldest: number) {
    super(`too old resource version: ${requested} (${oldest})`)
    this.requested = requested
    this.oldest = oldest
  }
}

/** The key is not at the revision that the writer expected. */
export class RevisionConflictError extends Error {
  override readonly name = 'RevisionConflictError'
  readonly actual: number
  constructor(bucket: string, key: string, actual: number) {
    super(`${bucket}/${key} is at revision ${actual}`)
    this.actual = actual
  }
}
