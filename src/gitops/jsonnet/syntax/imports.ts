// Which files a program reads, without running it: what is imported is written out in the text.

import { tokensOf } from './lexer.ts'
import type { ImportWay } from './nodes.ts'
import { SourceText } from './source-text.ts'

export interface Import {
  readonly way: ImportWay
  readonly path: string
}

const ways: ReadonlySet<string> = new Set(['import', 'importstr', 'importbin'])

/** Throws JsonnetFault for what are no words of the language. */
export function importsOf(path: string, text: string): readonly Import[] {
  const found: Import[] = []
  let way: string | undefined
  for (const token of tokensOf(new SourceText(path, text))) {
    if (way !== undefined && token.type === 'text') found.push({ way: way as ImportWay, path: token.text })
    way = token.type === 'keyword' && ways.has(token.text) ? token.text : undefined
  }
  return found
}
