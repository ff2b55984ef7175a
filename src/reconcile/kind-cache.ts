// The cached objects of one kind with their indexes, kept up incrementally. Synchronous and without I/O: the informer
// feeds it. An object never goes back to an older revision, so repeated and late events are harmless.

import { type KubeObject, objectKey } from '#objects'
import { Bucket, Buckets, type Cell } from './bucket.ts'
import type { Index } from './cache.ts'

/** What one event changed; undefined when it was old news. */
export interface Change {
  readonly object: KubeObject
  /** The state before, or a namesake that was there before; undefined for new and for deleted objects otherwise. */
  readonly old: KubeObject | undefined
  readonly deleted: boolean
}

interface IndexState {
  readonly index: Index<KubeObject>
  readonly buckets: Buckets
}

const noValues: readonly string[] = []

const sameValues = (a: readonly string[], b: readonly string[]): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false
  return true
}

const namespaceValues = (object: KubeObject): readonly string[] => {
  const { namespace } = object.metadata
  return namespace === undefined ? noValues : [namespace]
}

const ownerValues = (object: KubeObject): readonly string[] => {
  const owners = object.metadata.ownerReferences
  if (owners === undefined || owners.length === 0) return noValues
  const first = owners[0]
  return owners.length === 1 && first !== undefined ? [first.uid] : [...new Set(owners.map((owner) => owner.uid))]
}

export const revisionOf = (object: KubeObject): number => Number(object.metadata.resourceVersion ?? 0)

const namespaces = 0
const owners = 1

export class KindCache {
  readonly #cells = new Map<string, Cell>()
  readonly #all = new Bucket()
  readonly #indexes: IndexState[]

  constructor(kind: Index<KubeObject>['kind']) {
    this.#indexes = [
      { index: { name: 'namespace', kind, values: namespaceValues }, buckets: new Buckets() },
      { index: { name: 'owner', kind, values: ownerValues }, buckets: new Buckets() },
    ]
  }

  get size(): number {
    return this.#cells.size
  }

  get(key: string): KubeObject | undefined {
    return this.#cells.get(key)?.object
  }

  list(namespace?: string): readonly KubeObject[] {
    return namespace === undefined ? this.#all.objects() : (this.#indexes[namespaces]?.buckets.objects(namespace) ?? [])
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return this.#indexes[owners]?.buckets.objects(uid) ?? []
  }

  by(index: Index<KubeObject>, value: string): readonly KubeObject[] {
    let state = this.#indexes.find((candidate) => candidate.index === index)
    if (state === undefined) {
      state = { index, buckets: new Buckets() }
      this.#indexes.push(state)
      for (const cell of this.#cells.values()) {
        const values = index.values(cell.object)
        cell.values.push(values)
        for (const one of values) state.buckets.add(one, cell)
      }
    }
    return state.buckets.objects(value)
  }

  /** A new or changed object, as a watch tells of it. */
  put(object: KubeObject): Change | undefined {
    return this.#put(object, (revision, known) => revision > known)
  }

  /** An object of a list, which is the truth even when a server that was reset counts from a lower revision. */
  putListed(object: KubeObject): Change | undefined {
    return this.#put(object, (revision, known) => revision !== known)
  }

  #put(object: KubeObject, isNews: (revision: number, known: number) => boolean): Change | undefined {
    const key = objectKey(object)
    const revision = revisionOf(object)
    const cell = this.#cells.get(key)
    if (cell === undefined) {
      this.#insert({ key, object, revision, values: [], buckets: [] })
      return { object, old: undefined, deleted: false }
    }
    if (!isNews(revision, cell.revision)) return undefined
    const old = cell.object
    cell.object = object
    cell.revision = revision
    this.#reindex(cell)
    for (const bucket of cell.buckets) bucket.touch()
    return { object, old, deleted: false }
  }

  /** A deleted object, in its last state. */
  remove(object: KubeObject): Change | undefined {
    const cell = this.#cells.get(objectKey(object))
    if (cell === undefined || revisionOf(object) < cell.revision) return undefined
    this.#drop(cell)
    const isNamesake = cell.object.metadata.uid !== object.metadata.uid
    return { object, old: isNamesake ? cell.object : undefined, deleted: true }
  }

  /** Removes what is not in `keys` (after a list); the changes carry the last state that was known. */
  retain(keys: ReadonlySet<string>): readonly Change[] {
    const changes: Change[] = []
    for (const cell of [...this.#cells.values()]) {
      if (keys.has(cell.key)) continue
      this.#drop(cell)
      changes.push({ object: cell.object, old: undefined, deleted: true })
    }
    return changes
  }

  #insert(cell: Cell): void {
    this.#cells.set(cell.key, cell)
    this.#all.add(cell)
    cell.values = this.#indexes.map(({ index }) => index.values(cell.object))
    cell.values.forEach((values, i) => {
      for (const value of values) this.#indexes[i]?.buckets.add(value, cell)
    })
  }

  #reindex(cell: Cell): void {
    for (let i = 0; i < this.#indexes.length; i += 1) {
      const state = this.#indexes[i]
      const before = cell.values[i]
      if (state === undefined || before === undefined) continue
      const after = state.index.values(cell.object)
      if (sameValues(before, after)) continue
      cell.values[i] = after
      for (const value of before) if (!after.includes(value)) state.buckets.remove(value, cell)
      for (const value of after) if (!before.includes(value)) state.buckets.add(value, cell)
    }
  }

  #drop(cell: Cell): void {
    this.#cells.delete(cell.key)
    for (let i = 0; i < this.#indexes.length; i += 1) {
      for (const value of cell.values[i] ?? noValues) this.#indexes[i]?.buckets.remove(value, cell)
    }
    this.#all.remove(cell)
  }
}
