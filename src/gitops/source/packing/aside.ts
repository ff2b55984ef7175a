// Work on packs in a thread of its own, which is ended with it: what it held is given back.

import { createThread, moduleThread, type Thread, ToolFault } from '#gitops/tools'
import { SourceError } from '../source-error.ts'
import type { Answer } from './answer.ts'
import type { Indexed, IndexRequest } from './index-pack.ts'
import type { MergeRequest } from './merge-packs.ts'

const limitMs = 15 * 60_000
const memory = { heapMiB: 512, stackMiB: 4 }

/** Throws SourceError. `asked` is for messages: `indexing a pack`. */
export async function aside(asked: string, request: IndexRequest | MergeRequest): Promise<Indexed> {
  const thread: Thread<Answer> = createThread<Answer>({
    name: 'Git',
    asked,
    limitMs,
    memory,
    ...moduleThread(import.meta.url, './answer'),
  })
  try {
    const answer = await thread.ask(request)
    if ('trouble' in answer) throw new SourceError(answer.code, answer.trouble)
    return answer
  } catch (error) {
    if (error instanceof ToolFault) throw new SourceError('TooLarge', error.message)
    throw error
  } finally {
    await thread.close()
  }
}
