// Whether a rule names fields that the schema does not have. Follows an expression from its variables on; what is made by
// functions has a type that is not known here.

import type { JsonObject } from '#objects'
import { elementOf, fieldOf, isDynamic, isMap, scalarType } from './rule-types.ts'

interface Node {
  readonly op: string
  readonly args: unknown
  readonly pos: number
}

type Known = JsonObject | undefined
type Names = ReadonlyMap<string, Known>

export interface Misuse {
  readonly at: number
  readonly text: string
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value

/** The first misuse in the tree of an expression whose variables have these schemas. */
export function misuseIn(ast: unknown, variables: Names): Misuse | undefined {
  const found: Misuse[] = []
  typeOf(ast as Node, variables, found)
  return found.sort((a, b) => a.at - b.at)[0]
}

function typeOf(node: Node, names: Names, found: Misuse[]): Known {
  const { op, args } = node
  if (op === 'id') return names.get(String(args))
  if (op === 'value') return undefined
  if (op === '.') return selected(node, names, found)
  if (op === '[]') {
    const [list, index] = args as readonly [Node, Node]
    typeOf(index, names, found)
    const type = typeOf(list, names, found)
    return type === undefined ? undefined : elementOf(type)
  }
  if (op === 'rcall') return called(args as readonly [string, Node, readonly Node[]], names, found)
  for (const inner of nodesIn(args)) typeOf(inner, names, found)
  return undefined
}

const nodesIn = (value: unknown): readonly Node[] =>
  Array.isArray(value) ? (value as readonly unknown[]).flatMap(nodesIn) : isNode(value) ? [value] : []

function selected({ args, pos }: Node, names: Names, found: Misuse[]): Known {
  const [operand, field] = args as readonly [Node, string]
  const type = typeOf(operand, names, found)
  if (type === undefined || isDynamic(type)) return undefined
  if (isMap(type)) return elementOf(type)
  // What cel-go points at is the dot.
  const at = pos - 1
  if (type['type'] !== 'object') {
    const name = type['type'] === 'array' ? 'list' : scalarType(type)
    found.push({ at, text: `type '${name}' does not support field selection` })
    return undefined
  }
  const inner = fieldOf(type, field)
  if (inner === undefined) found.push({ at, text: `undefined field '${field}'` })
  return inner
}

const overElements: ReadonlySet<string> = new Set(
  'all exists exists_one existsOne map filter transformList transformMap transformMapEntry sortBy'.split(' '),
)

function called(
  [name, receiver, args]: readonly [string, Node, readonly Node[]],
  names: Names,
  found: Misuse[],
): Known {
  const type = typeOf(receiver, names, found)
  const [first, second, ...rest] = args
  if (name === 'bind' && first?.op === 'id' && second !== undefined) {
    const bound = new Map(names).set(String(first.args), typeOf(second, names, found))
    return rest[0] === undefined ? undefined : typeOf(rest[0], bound, found)
  }
  if (!overElements.has(name) || first?.op !== 'id') {
    for (const arg of args) typeOf(arg, names, found)
    return undefined
  }
  const hasTwo = second?.op === 'id' && rest.length > 0 && !(name === 'map' && rest.length === 1)
  const element = type === undefined ? undefined : elementOf(type)
  const key = type !== undefined && isMap(type) ? { type: 'string' } : undefined
  const inner = new Map(names).set(String(first.args), hasTwo ? key : (key ?? element))
  if (hasTwo) inner.set(String(second.args), element)
  for (const body of hasTwo ? rest : args.slice(1)) typeOf(body, inner, found)
  return name === 'filter' ? type : undefined
}
