// A file of a program: what it is called in messages, and lines and columns of what is in it.

export class SourceText {
  /** From the root of the repository, or `<tla:name>`. */
  readonly path: string
  readonly text: string
  #lineStarts: readonly number[] | undefined

  constructor(path: string, text: string) {
    this.path = path
    this.text = text
  }

  /** Line and column, both from 1, of an offset. */
  position(offset: number): { readonly line: number; readonly column: number } {
    const starts = this.#lineStarts ?? lineStartsOf(this.text)
    this.#lineStarts = starts
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

export interface Place {
  readonly source: SourceText
  readonly begin: number
  readonly end: number
}

/** `lib/web.libsonnet:3:5-12`, or `lib/web.libsonnet:(3:5)-(4:2)`. */
export function placeText({ source, begin, end }: Place): string {
  const from = source.position(begin)
  const to = source.position(end)
  if (from.line !== to.line) return `${source.path}:(${from.line}:${from.column})-(${to.line}:${to.column})`
  const range = to.column > from.column + 1 ? `-${to.column}` : ''
  return `${source.path}:${from.line}:${from.column}${range}`
}
