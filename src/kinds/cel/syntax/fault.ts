// Faults of an expression, told as cel-go tells them: all of them, by where they stand, each with its line and a mark.

export interface Fault {
  /** Where in the expression, or nowhere in particular. */
  readonly at: number | undefined
  readonly text: string
}

const maxFaults = 100
const maxLine = 16_384

export function tellFaults(expression: string, faults: readonly Fault[]): string {
  const told = faults.slice(0, maxFaults).map((fault) => ({ ...fault, ...placeOf(expression, fault.at) }))
  told.sort((a, b) => a.line - b.line || a.column - b.column)
  const texts = told.map((fault) => tell(expression, fault))
  const more = faults.length - maxFaults
  if (more > 0) texts.push(`${more} more errors were truncated`)
  return texts.join('\n')
}

interface Place {
  readonly line: number
  /** Letters before it in its line. */
  readonly column: number
}

function placeOf(expression: string, at: number | undefined): Place {
  if (at === undefined) return { line: -1, column: -1 }
  const before = expression.slice(0, at)
  return {
    line: before.split('\n').length,
    column: [...before.slice(before.lastIndexOf('\n') + 1)].length,
  }
}

const bytesOf = (letter: string): number => new TextEncoder().encode(letter).length

function tell(expression: string, { line, column, text }: Place & Fault): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${text}`
  const source = line < 1 ? undefined : expression.split('\n')[line - 1]
  if (source === undefined || bytesOf(source) > maxLine) return head
  const letters = [...source.replaceAll('\t', ' ')]
  const isWide = (index: number): boolean => bytesOf(letters[index] ?? '') > 1
  const dots = Array.from({ length: Math.min(column, letters.length) }, (_, i) => (isWide(i) ? '．' : '.'))
  return `${head}\n | ${letters.join('')}\n | ${dots.join('')}${isWide(column) ? '＾' : '^'}`
}
