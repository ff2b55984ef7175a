// Indexes packs without holding anybody up: small ones here and now, all others in a thread of their own, one after another, so
// that memory is that of one. A thread is ended with its pack: what it held is given back.

import { createThread, moduleThread, type Thread, ToolFault } from '#gitops/tools'
import { SourceError } from '../source-error.ts'
import type { Answer } from './answer.ts'
import { type Indexed, indexPack } from './index-pack.ts'

export interface ArrivedPack {
  readonly path: string
  readonly bytes: number
  readonly indexPath: string
}

const limitMs = 15 * 60_000
const memory = { heapMiB: 512, stackMiB: 4 }
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
    const next = this.#last.catch(() => undefined).then(() => aside(path, indexPath))
    this.#last = next
    return next
  }
}

async function aside(path: string, indexPath: string): Promise<Indexed> {
  const thread: Thread<Answer> = createThread<Answer>({
    name: 'Git',
    asked: 'indexing a pack',
    limitMs,
    memory,
    ...moduleThread(import.meta.url, './answer'),
  })
  try {
    const answer = await thread.ask({ path, indexPath, maxInflatedBytes: Number.MAX_SAFE_INTEGER })
    if ('trouble' in answer) throw new SourceError(answer.code, answer.trouble)
    return answer
  } catch (error) {
    if (error instanceof ToolFault) throw new SourceError('TooLarge', error.message)
    throw error
  } finally {
    await thread.close()
  }
}
