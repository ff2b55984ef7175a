// What one resource does beside being stored, as data: allocating addresses before a Service is written, serving a
// definition after it was. Verbs call hooks; they know none of them.

import type { ApiRequest } from '#api'
import type { FieldError } from '#kinds'
import type { AnyObject } from '#objects'
import type { Entry } from '#store'
import type { Served } from './served.ts'

/** What a hook is told of the request: nothing of the server, which those that need it were given when they were made. */
export interface Occasion {
  readonly request: ApiRequest
  readonly served: Served
  readonly namespace: string | undefined
  readonly name: string
  readonly subresource: string
}

/** What was taken for a write; given back when the write fails. */
export interface Reservation {
  readonly object: AnyObject
  release(): void
}

export interface ResourceHooks {
  /** Before an object is validated and created, or an update of it is. Throws to refuse. */
  reserve?(occasion: Occasion, object: AnyObject, old: AnyObject | undefined): Reservation
  /** What only a server can check of an object that is created or updated; told before what its kind says. */
  faults?(occasion: Occasion, object: AnyObject, old: AnyObject | undefined): readonly FieldError[]
  /** Before the one object of a request is deleted. Throws to refuse. */
  checkDelete?(occasion: Occasion): void
  /** After every write, of whatever origin; `current` is undefined when the object is gone. */
  wrote?(current: Entry | undefined, previous: Entry | undefined): void
}

/** The hooks of all resources, by bucket. */
export class HookTable {
  readonly #hooks = new Map<string, ResourceHooks>()

  /** Beside those that the bucket has already; only what is done after a write is done by both. */
  add(bucket: string, hooks: ResourceHooks): void {
    const before = this.#hooks.get(bucket)
    this.#hooks.set(bucket, before === undefined ? hooks : both(before, hooks))
  }

  of(bucket: string): ResourceHooks | undefined {
    return this.#hooks.get(bucket)
  }
}

const both = (one: ResourceHooks, other: ResourceHooks): ResourceHooks => ({
  ...other,
  ...one,
  wrote(current, previous) {
    one.wrote?.(current, previous)
    other.wrote?.(current, previous)
  },
})
