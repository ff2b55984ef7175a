// One worker of a loop: its kit, and a note of what the reconcile at hand has written, by cached kind. Its client stops
// working when the loop ends, so a stopped loop takes no further step, wherever it was.

import type { ApiHandler, ApiRequest, ApiResponse } from '#api'
import { createClient } from '#client'
import type { World } from '#world'
import type { Caches, CacheView } from './caches.ts'
import { componentCaller } from './caller.ts'
import type { Kit, LoopDefinition } from './loop.ts'
import { type Unseen, WriteNotes } from './write-notes.ts'

export interface SlotOptions {
  readonly definition: LoopDefinition
  readonly world: World
  readonly handler: ApiHandler
  readonly caches: Caches
  readonly view: CacheView
  readonly signal: AbortSignal
}

export class Slot {
  readonly kit: Kit
  readonly notes = new WriteNotes()
  readonly #options: SlotOptions
  readonly #noting: ApiHandler

  constructor(options: SlotOptions) {
    const { definition, world, view, signal, handler, caches } = options
    this.#options = options
    this.#noting = this.notes.noting(handler, ({ resource }) =>
      resource === undefined ? undefined : caches.find(resource),
    )
    const caller = componentCaller(definition.user, definition.manager)
    const client = createClient((request, ended) => this.#handle(request, ended), caller, signal)
    this.kit = { client, cache: view, world, name: definition.name, signal }
  }

  /** What the reconcile that just ended wrote and the caches do not show yet. */
  takeUnseen(): readonly Unseen[] {
    return this.notes.takeUnseen()
  }

  #handle(request: ApiRequest, ended: AbortSignal): Promise<ApiResponse> {
    const { signal, definition } = this.#options
    if (signal.aborted) return Promise.reject(signal.reason ?? new Error(`${definition.name} was stopped`))
    return this.#noting(request, ended)
  }
}
