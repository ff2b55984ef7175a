// What a write changed, as each manager sees it: those who wrote in another version of the kind own fields of that version.

import { atomOf } from '../fields/atom.ts'
import { type Comparison, compareValues, withoutFields } from '../fields/compare.ts'
import { type FieldSet, union } from '../fields/field-set.ts'
import type { Json, KubeObject } from '../object.ts'
import type { Schema } from '../schema.ts'

/** Another version of a kind, and how objects look there. */
export interface OtherVersion {
  readonly schema: Schema
  /** Of an object in whatever version. */
  readonly convert: (object: KubeObject) => KubeObject
}

/** Says of a version what it is; `gone` where it is not served. Undefined where a kind looks the same in all. */
export type Versions = ((apiVersion: string) => OtherVersion | 'gone') | undefined

export interface Change {
  readonly changed: FieldSet
  readonly removed: FieldSet
}

const changeOf = ({ added, modified, removed }: Comparison): Change => ({ changed: union(added, modified), removed })

export interface Write {
  readonly apiVersion: string
  /** What changed in the version of the write. */
  readonly comparison: Comparison
  /** The object in the version of the write; before is undefined for a new one. */
  readonly before: KubeObject | undefined
  readonly after: KubeObject
  readonly versions: Versions
  /** What such a write cannot change. */
  readonly reset: FieldSet
}

export class Changes {
  readonly #write: Write
  /** In the version of the write. */
  readonly own: Change
  #others: Map<string, Change | undefined> | undefined

  constructor(write: Write) {
    this.#write = write
    this.own = changeOf(write.comparison)
  }

  /** Undefined where nobody can own anything any more. */
  in(apiVersion: string): Change | undefined {
    if (apiVersion === this.#write.apiVersion) return this.own
    this.#others ??= new Map()
    if (!this.#others.has(apiVersion)) this.#others.set(apiVersion, this.#find(apiVersion))
    return this.#others.get(apiVersion)
  }

  #find(apiVersion: string): Change | undefined {
    const { versions, before, after, reset } = this.#write
    if (versions === undefined) return this.own
    const version = versions(apiVersion)
    if (version === 'gone') return undefined
    const [old, now] = [before, after].map((object) => object && (version.convert(object) as unknown as Json))
    return changeOf(withoutFields(compareValues(old ?? {}, now ?? {}, atomOf(version.schema)), reset))
  }
}
