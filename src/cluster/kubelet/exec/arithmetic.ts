// Sums of a shell, `$((i + 1))`: whole numbers, variables, the usual signs and brackets.

/** How deep brackets and signs may stand in one another. */
const mostDepth = 100

/** Undefined where the text is none. */
export function sumOf(text: string, variable: (name: string) => string | undefined): number | undefined {
  const tokens = text.match(/\d+|[A-Za-z_]\w*|\$\{?[A-Za-z_]\w*\}?|[<>=!]=|[-+*/%()<>]|\S/g) ?? []
  let at = 0
  let depth = 0
  const fail = (): never => {
    throw new SumFault()
  }
  const single = (): number => {
    depth += 1
    if (depth > mostDepth) return fail()
    const value = operand()
    depth -= 1
    return value
  }
  const operand = (): number => {
    const token = tokens[at++]
    if (token === undefined) return fail()
    if (token === '-') return -single()
    if (token === '+') return single()
    if (token === '(') {
      const value = level(0)
      return tokens[at++] === ')' ? value : fail()
    }
    if (/^\d+$/.test(token)) return Number(token)
    const name = /^\$?\{?([A-Za-z_]\w*)\}?$/.exec(token)?.[1]
    const value = name === undefined ? fail() : Number(variable(name) ?? 0)
    return Number.isSafeInteger(value) ? value : fail()
  }
  const level = (binding: number): number => {
    if (binding === levels.length) return single()
    let left = level(binding + 1)
    for (;;) {
      const operation = levels[binding]?.[tokens[at] ?? '']
      if (operation === undefined) return left
      at += 1
      left = operation(left, level(binding + 1))
    }
  }
  try {
    const value = level(0)
    return at === tokens.length && Number.isSafeInteger(value) ? value : undefined
  } catch (error) {
    if (error instanceof SumFault) return undefined
    throw error
  }
}

class SumFault extends Error {}

type Operation = (a: number, b: number) => number

/** From those that bind least. */
const levels: readonly Readonly<Record<string, Operation | undefined>>[] = [
  { '==': (a, b) => Number(a === b), '!=': (a, b) => Number(a !== b) },
  {
    '<': (a, b) => Number(a < b),
    '>': (a, b) => Number(a > b),
    '<=': (a, b) => Number(a <= b),
    '>=': (a, b) => Number(a >= b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => Math.trunc(a / b), '%': (a, b) => a % b },
]
