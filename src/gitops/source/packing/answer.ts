// What the thread that works on packs answers. It is loaded there alone.

import { messageOf, SourceError } from '../source-error.ts'
import { type Indexed, type IndexRequest, indexPack } from './index-pack.ts'
import { type MergeRequest, mergePacks } from './merge-packs.ts'

export type Answer = Indexed | { readonly trouble: string; readonly code: SourceError['code'] }

export async function answer(request: IndexRequest | MergeRequest): Promise<Answer> {
  try {
    return await ('packs' in request ? mergePacks(request) : indexPack(request))
  } catch (error) {
    return { trouble: messageOf(error), code: error instanceof SourceError ? error.code : 'Damaged' }
  }
}
