// What is wrong with the types of an expression, in the words of cel-go: which name is unknown, which operator or function
// does not take what it is given, and where that stands.

interface Part {
  readonly op?: string
  readonly start?: number
  readonly end?: number
  readonly args?: unknown
  readonly left?: Part
  readonly right?: Part
}

export interface CheckFault {
  readonly at: number
  readonly text: string
}

const typeText = (type: string): string =>
  type.replaceAll('<', '(').replaceAll('>', ')').replaceAll('optional(', 'optional_type(')

const noOverload = (name: string, types: string): string =>
  `found no matching overload for '${name}' applied to '${typeText(types)}'`

const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`

/** Of a fault `why` at `node`; undefined if there are no other words for it. */
export function checkFault(
  why: string,
  { expression, node }: { readonly expression: string; readonly node: Part | undefined },
  isFunction: (name: string) => boolean,
): CheckFault | undefined {
  const start = node?.start ?? 0
  const after = (text: string, from: number): number => Math.max(expression.indexOf(text, from), start)
  const variable = /^Unknown variable: (.+)$/.exec(why)
  if (variable !== null) return { at: start, text: undeclared(variable[1] ?? '') }
  const unary = /^no such overload: ([!-])(\S+)$/.exec(why)
  if (unary !== null) return { at: start, text: noOverload(`${unary[1]}_`, `(${unary[2]})`) }
  const binary = /^no such overload: (.+) (==|!=|<=?|>=?|[-+*/%]|in) (.+)$/.exec(why)
  if (binary !== null) {
    const [, left = '', operator = '', right = ''] = binary
    const name = operator === 'in' ? '@in' : `_${operator}_`
    return { at: after(operator, node?.left?.end ?? start), text: noOverload(name, `(${left}, ${right})`) }
  }
  const call = /^found no matching overload for '(?:(.+)\.)?([A-Za-z_]\w*)\((.*)\)'$/s.exec(why)
  if (call === null) return undefined
  const [, receiver, name = '', types = ''] = call
  const target = Array.isArray(node?.args) && receiver !== undefined ? (node.args[1] as Part).end : undefined
  return {
    at: after('(', target ?? start),
    text: isFunction(name)
      ? noOverload(name, `${receiver === undefined ? '' : `${receiver}.`}(${types})`)
      : undeclared(name),
  }
}
