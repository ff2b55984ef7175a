// One worker of a loop: its kit, and a note of what the reconcile at hand has written, by cached kind. Its client stops
// working when the loop ends, so a stopped loop takes no further step, wherever it was.

import type { ApiHandler, ApiRequest, ApiResponse } from '#api'
import { createClient } from '#client'
import type { World } from '#world'
import type { Caches, CacheView } from './caches.ts'
import { componentCaller } from './caller.ts'
import type { Informer } from './informer.ts'
import type { Kit, LoopDefinition } from './loop.ts'

interface Written {
  readonly informer: Informer
  revision: number
}

/** A delete counts by the object that it answers (pods); what answers a bare Status has no revision to wait for. */
const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

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
  readonly #options: SlotOptions
  #written: Written[] = []

  constructor(options: SlotOptions) {
    const { definition, world, view, signal } = options
    this.#options = options
    const caller = componentCaller(definition.user, definition.manager)
    const client = createClient((request, ended) => this.#handle(request, ended), caller, signal)
    this.kit = { client, cache: view, world, name: definition.name, signal }
  }

  /** What the reconcile that just ended wrote and the caches do not show yet. */
  takeUnseen(): readonly Written[] {
    const written = this.#written
    if (written.length === 0) return written
    this.#written = []
    return written.filter(({ informer, revision }) => informer.revision < revision)
  }

  #handle(request: ApiRequest, ended: AbortSignal): Promise<ApiResponse> {
    const { signal, handler, definition } = this.#options
    if (signal.aborted) return Promise.reject(signal.reason ?? new Error(`${definition.name} was stopped`))
    const response = handler(request, ended)
    if (!writes.has(request.verb) || request.query?.['dryRun'] !== undefined) return response
    return response.then((answer) => {
      this.#note(request, answer)
      return answer
    })
  }

  #note(request: ApiRequest, { status, body }: ApiResponse): void {
    if (status >= 400 || body.type !== 'object' || request.resource === undefined) return
    const revision = Number(body.object.metadata?.resourceVersion ?? 0)
    if (!(revision > 0)) return
    const informer = this.#options.caches.find(request.resource)
    if (informer === undefined || informer.revision >= revision) return
    const known = this.#written.find((written) => written.informer === informer)
    if (known === undefined) this.#written.push({ informer, revision })
    else if (known.revision < revision) known.revision = revision
  }
}
