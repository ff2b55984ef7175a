// Indexes packs without holding anybody up: small ones here and now, all others in a thread of their own, one after another, so
// that memory is that of one.

import { SourceError } from '../source-error.ts'
import { aside } from './aside.ts'
import { type Indexed, indexPack } from './index-pack.ts'

export interface ArrivedPack {
  readonly path: string
  readonly bytes: number
  readonly indexPath: string
}

/** A few milliseconds of work. */
const smallBytes = 128 * 1024
const smallInflatedBytes = 1024 * 1024

export class PackIndexer {
  #last: Promise<unknown> = Promise.resolve()

  /** Throws SourceError. */
  async index({ path, bytes, indexPath }: ArrivedPack): Promise<Indexed> {
    if (bytes <= smallBytes) {
      try {
        return await indexPack({ path, indexPath, maxInflatedBytes: smallInflatedBytes })
      } catch (error) {
        // A small pack may be much when it is inflated.
        if (!(error instanceof SourceError) || error.code !== 'TooLarge') throw error
      }
    }
    const request = { path, indexPath, maxInflatedBytes: Number.MAX_SAFE_INTEGER }
    const next = this.#last.catch(() => undefined).then(() => aside('indexing a pack', request))
    this.#last = next
    return next
  }
}
