// What one reconcile has written, by cached kind, be it in the loop's own cluster or in another one that it looks after: the
// key is held until those caches show it (read your writes).

import type { ApiHandler, ApiRequest, ApiResponse } from '#api'
import type { Informer } from './informer.ts'

export interface Unseen {
  readonly informer: Informer
  readonly revision: number
}

/** A delete counts by the object that it answers (pods); what answers a bare Status has no revision to wait for. */
const writes: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

/** Whose cache a request's object is in; undefined for a kind that nobody follows. */
export type InformerOf = (request: ApiRequest) => Informer | undefined

interface Written extends Unseen {
  revision: number
}

export class WriteNotes {
  #written: Written[] = []

  /** The same handler, with a note of every write that went well. */
  noting(next: ApiHandler, informerOf: InformerOf): ApiHandler {
    return (request, signal) => {
      const response = next(request, signal)
      if (!writes.has(request.verb) || request.query?.['dryRun'] !== undefined) return response
      return response.then((answer) => {
        this.#note(answer, () => informerOf(request))
        return answer
      })
    }
  }

  /** What was written since this was asked last and the caches do not show yet. */
  takeUnseen(): readonly Unseen[] {
    const written = this.#written
    if (written.length === 0) return written
    this.#written = []
    return written.filter(({ informer, revision }) => informer.revision < revision)
  }

  #note({ status, body }: ApiResponse, informerOf: () => Informer | undefined): void {
    if (status >= 400 || body.type !== 'object') return
    const revision = Number(body.object.metadata?.resourceVersion ?? 0)
    if (!(revision > 0)) return
    const informer = informerOf()
    if (informer === undefined || informer.revision >= revision) return
    const known = this.#written.find((written) => written.informer === informer)
    if (known === undefined) this.#written.push({ informer, revision })
    else if (known.revision < revision) known.revision = revision
  }
}
