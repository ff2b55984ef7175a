// Where a text stops being JSON: JSON.parse says so only sometimes. Used after JSON.parse has refused a text.

const token =
  /\s*(?:("(?:[^"\\\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)|([{}[\],:]))/y

type Expect = 'value' | 'valueOrEnd' | 'keyOrEnd' | 'key' | 'colon' | 'commaOrEnd' | 'nothing'

/** Offset of the first character that cannot be there; the length of the text when it ends too early. */
export function jsonFaultOffset(text: string): number {
  const open: ('{' | '[')[] = []
  let expect: Expect = 'value'
  let offset = 0
  while (true) {
    token.lastIndex = offset
    const match = token.exec(text)
    const start = offset + (/^\s*/.exec(text.slice(offset))?.[0].length ?? 0)
    if (match === null) return start
    const next = step({ open, expect, string: match[1] !== undefined, literal: match[2] !== undefined, mark: match[3] })
    if (next === undefined) return start
    expect = next
    offset = token.lastIndex
  }
}

interface Step {
  readonly open: ('{' | '[')[]
  readonly expect: Expect
  readonly string: boolean
  readonly literal: boolean
  readonly mark: string | undefined
}

/** What may follow; undefined when this token may not be here. Keeps `open` up to date. */
function step({ open, expect, string, literal, mark }: Step): Expect | undefined {
  const afterValue = (): Expect => (open.length === 0 ? 'nothing' : 'commaOrEnd')
  const isKey = expect === 'key' || expect === 'keyOrEnd'
  if (string && isKey) return 'colon'
  if (expect === 'value' || expect === 'valueOrEnd') {
    if (string || literal) return afterValue()
    if (mark === '{' || mark === '[') {
      open.push(mark)
      return mark === '{' ? 'keyOrEnd' : 'valueOrEnd'
    }
  }
  if (mark === ':' && expect === 'colon') return 'value'
  if (mark === ',' && expect === 'commaOrEnd') return open.at(-1) === '{' ? 'key' : 'value'
  const mayEnd =
    expect === 'commaOrEnd' || (expect === 'keyOrEnd' && mark === '}') || (expect === 'valueOrEnd' && mark === ']')
  if (!mayEnd || (mark !== '}' && mark !== ']') || open.pop() !== (mark === '}' ? '{' : '[')) return undefined
  return afterValue()
}
