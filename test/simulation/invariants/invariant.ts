// What must hold after every single write, whatever goes wrong around it. Loops are judged by what they could know: by
// what their caches held when the reconcile at hand began.

import type { ApiRequest } from '#api'
import type { AnyObject } from '#objects'
import type { Store } from '#store'
import type { Observer, Reconcile, Write } from '../../support/observer.ts'

export interface Violation {
  readonly invariant: string
  readonly revision: number
  readonly at: number
  readonly message: string
  /** The objects concerned, as `bucket/key`. */
  readonly about: readonly string[]
}

export interface Look {
  readonly store: Store
  now(): number
  fail(message: string, ...about: readonly string[]): void
}

export interface Sent {
  readonly request: ApiRequest
  readonly by: Reconcile
}

export interface Checks {
  /** By bucket; `*` for all but Events. */
  readonly wrote?: Readonly<Record<string, (write: Write) => void>>
  /** By loop: before it reads its cache. */
  readonly begins?: Readonly<Record<string, (reconcile: Reconcile) => void>>
  /** By loop: a request of it is about to be answered; it goes on with what its cache holds now. */
  readonly sends?: Readonly<Record<string, (sent: Sent) => void>>
  /** When everything has come to rest. */
  readonly atEnd?: () => void
}

export interface Invariant {
  readonly name: string
  readonly watch: (look: Look) => Checks
}

/** More than these say nothing new. */
const mostViolations = 20

export class Inspection {
  readonly violations: Violation[] = []
  readonly #checks: readonly Checks[]
  #revision = 0

  constructor(observer: Observer, invariants: readonly Invariant[], now: () => number) {
    const failing =
      (invariant: string): Look['fail'] =>
      (message, ...about) => {
        if (this.violations.length >= mostViolations) return
        this.violations.push({ invariant, revision: this.#revision, at: now(), message, about })
      }
    this.#checks = invariants.map(({ name, watch }) => watch({ store: observer.store, now, fail: failing(name) }))
    observer.join(this.#onlooker(failing('inspection')))
  }

  atEnd(): void {
    for (const { atEnd } of this.#checks) atEnd?.()
  }

  #onlooker(fail: Look['fail']) {
    // Thrown into a loop, the error of a check would pass for one of the loop.
    const careful = <T>(checks: readonly Check<T>[], value: T): void => {
      try {
        for (const check of checks) check(value)
      } catch (error) {
        fail(`a check fails itself: ${error instanceof Error ? error.stack : String(error)}`)
      }
    }
    const wrote = byName(this.#checks.map((checks) => checks.wrote))
    const begins = byName(this.#checks.map((checks) => checks.begins))
    const sends = byName(this.#checks.map((checks) => checks.sends))
    const always = wrote.get('*') ?? []
    return {
      wrote: (write: Write): void => {
        this.#revision = write.revision
        if (write.bucket === 'events') return
        careful(always, write)
        careful(wrote.get(write.bucket) ?? [], write)
      },
      sends: (request: ApiRequest, by: Reconcile | undefined): void => {
        if (by !== undefined) careful(sends.get(by.loop) ?? [], { request, by })
      },
      begins: (reconcile: Reconcile): void => {
        careful(begins.get(reconcile.loop) ?? [], reconcile)
      },
    }
  }
}

type Check<T> = (value: T) => void

function byName<T>(maps: readonly (Readonly<Record<string, Check<T>>> | undefined)[]): Map<string, Check<T>[]> {
  const all = new Map<string, Check<T>[]>()
  for (const map of maps)
    for (const [name, check] of Object.entries(map ?? {})) {
      const known = all.get(name)
      if (known === undefined) all.set(name, [check])
      else known.push(check)
    }
  return all
}

/** The part of an object that a kind's own type would show. */
export const as = <T>(object: AnyObject | undefined): T | undefined => object as unknown as T | undefined

/** The owner that controls an object. */
export const controllerOf = (object: AnyObject | undefined) =>
  object?.metadata.ownerReferences?.find(({ controller }) => controller === true)

export const idOf = ({ bucket, key }: Pick<Write, 'bucket' | 'key'>): string => `${bucket}/${key}`
