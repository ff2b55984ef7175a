// What the thread that indexes packs answers. It is loaded there alone.

import { messageOf, SourceError } from '../source-error.ts'
import { type Indexed, type IndexRequest, indexPack } from './index-pack.ts'

export type Answer = Indexed | { readonly trouble: string; readonly code: SourceError['code'] }

export async function answer(request: IndexRequest): Promise<Answer> {
  try {
    return await indexPack(request)
  } catch (error) {
    return { trouble: messageOf(error), code: error instanceof SourceError ? error.code : 'Damaged' }
  }
}
