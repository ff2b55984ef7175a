// What a reader of a watch is told of a change in the store, in the form that it asked for. Objects that enter or leave a
// selection are told as ADDED and DELETED.

import type { WatchEvent } from '#api'
import type { AnyObject } from '#objects'
import type { StoreEvent } from '#store'
import { bookmarkObject } from './bookmark.ts'
import { managedOf } from './managed.ts'
import { versionOf } from './read.ts'
import { partialObject, served, type Version } from './represent.ts'
import type { Scope } from './scope.ts'
import type { Selection } from './selection.ts'
import { ruledForm } from './served.ts'
import { objectTable } from './table.ts'

export class EventTeller {
  readonly #scope: Scope
  readonly #matches: Selection['matches']
  #headed = false

  constructor(scope: Scope, { matches }: Selection) {
    this.#scope = scope
    this.#matches = matches
  }

  tell(event: StoreEvent): WatchEvent | undefined {
    const { current, previous } = event
    const isNow = current !== undefined && this.#selects(current.value)
    const wasBefore = previous !== undefined && this.#selects(previous.value)
    if (isNow) return { type: wasBefore ? 'MODIFIED' : 'ADDED', object: this.show(versionOf(current)) }
    if (!wasBefore) return undefined
    const { deleted: value, revision } = event
    if (value === undefined) return { type: 'DELETED', object: this.show(versionOf(previous), revision) }
    return { type: 'DELETED', object: this.show({ value, managed: managedOf(previous.attachment) }) }
  }

  /** `revision` is that of the event where it is another than the object's. */
  show(version: Version, revision?: number): AnyObject {
    const { accept } = this.#scope.request
    const made = served(this.#scope.served, version, accept)
    const object = revision === undefined ? made : withRevision(made, revision)
    if (accept === undefined || accept.as === 'object') return object
    if (accept.as === 'partial') return partialObject(object, accept)
    const row = { object, ruled: ruledForm(this.#scope.served, version.value) }
    return objectTable(this.#scope, row, accept, this.#isFirst())
  }

  bookmark(resourceVersion: string, annotations?: Readonly<Record<string, string>>): WatchEvent {
    const metadata = { resourceVersion, ...(annotations === undefined ? {} : { annotations }) }
    return { type: 'BOOKMARK', object: bookmarkObject(this.#scope, metadata, () => this.#isFirst()) }
  }

  #selects(value: AnyObject): boolean {
    const matches = this.#matches
    return matches === undefined || matches(ruledForm(this.#scope.served, value))
  }

  /** The columns of a table are told once. */
  #isFirst(): boolean {
    const first = !this.#headed
    this.#headed = true
    return first
  }
}

const withRevision = (value: AnyObject, revision: number): AnyObject => ({
  ...value,
  metadata: { ...value.metadata, resourceVersion: String(revision) },
})
