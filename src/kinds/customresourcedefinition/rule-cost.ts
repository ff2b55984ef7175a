// What a rule can cost at most, as cel-go's checker and Kubernetes' library estimate it. Where a size is not known here,
// the smallest is assumed: a rule is refused only when a real API server refuses it, too.

import type { JsonObject } from '#objects'
import { maxSize } from './rule-sizes.ts'
import { elementOf, fieldOf, isDynamic, isMap, scalarType } from './rule-types.ts'

interface Node {
  readonly op: string
  readonly args: unknown
}

interface Estimate {
  readonly cost: number
  /** At most. */
  readonly size: number
  readonly type?: JsonObject | undefined
  /** Of elements of what a rule makes. */
  readonly element?: Estimate | undefined
}

type Names = ReadonlyMap<string, Estimate>

const textFactor = 0.1
const regexFactor = 0.25
const listCost = 10
const mapCost = 30

const traversal = (size: number): number => Math.ceil(size * textFactor)

const ofType = (type: JsonObject | undefined, cost: number): Estimate =>
  type === undefined ? { cost, size: 1 } : { cost, size: maxSize(type), type }

/** `variables` are the schemas of the variables. */
export function ruleCost(ast: unknown, variables: ReadonlyMap<string, JsonObject | undefined>): number {
  const names = new Map([...variables].map(([name, type]) => [name, ofType(type, 1)]))
  return estimate(ast as Node, names).cost
}

function estimate({ op, args }: Node, names: Names): Estimate {
  const inner = (node: unknown): Estimate => estimate(node as Node, names)
  switch (op) {
    case 'value':
      return {
        cost: 0,
        size: typeof args === 'string' ? [...args].length : 1,
        ...(typeof args === 'string' && { type: { type: 'string', maxLength: args.length } }),
      }
    case 'id':
      return { ...(names.get(String(args)) ?? { size: 1 }), cost: 1 }
    case '.':
      return selected(inner((args as readonly unknown[])[0]), String((args as readonly unknown[])[1]))
    case '[]': {
      const [list, index] = (args as readonly unknown[]).map(inner) as [Estimate, Estimate]
      return { ...elementEstimate(list), cost: list.cost + index.cost + 1 }
    }
    case 'list':
      return made((args as readonly unknown[]).map(inner), listCost)
    case 'map':
      return made((args as readonly (readonly unknown[])[]).flat().map(inner), mapCost)
    case '?:': {
      const [condition, yes, no] = (args as readonly unknown[]).map(inner) as [Estimate, Estimate, Estimate]
      const larger = yes.size > no.size ? yes : no
      return { ...larger, cost: condition.cost + Math.max(yes.cost, no.cost) }
    }
    case '&&':
    case '||':
      return { cost: sum((args as readonly unknown[]).map(inner)), size: 1 }
    case 'call':
      return called(args as readonly [string, readonly Node[]], names)
    case 'rcall':
      return methodCalled(args as readonly [string, Node, readonly Node[]], names)
    default:
      return operated(op, (Array.isArray(args) ? (args as readonly unknown[]) : [args]).filter(isNode).map(inner))
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value
const sum = (estimates: readonly Estimate[]): number => estimates.reduce((total, { cost }) => total + cost, 0)

function made(parts: readonly Estimate[], base: number): Estimate {
  const largest = parts.reduce<Estimate | undefined>(
    (best, one) => (best === undefined || one.size > best.size ? one : best),
    undefined,
  )
  return { cost: base + sum(parts), size: parts.length, element: largest }
}

function selected(operand: Estimate, field: string): Estimate {
  const { type, cost } = operand
  if (type === undefined || isDynamic(type)) return { cost, size: 1 }
  return ofType(isMap(type) ? elementOf(type) : fieldOf(type, field), cost + 1)
}

function elementEstimate({ type, element }: Estimate): Estimate {
  return element ?? ofType(type === undefined ? undefined : elementOf(type), 0)
}

const isText = ({ type }: Estimate): boolean =>
  type !== undefined && type['type'] === 'string' && ['string', 'bytes'].includes(scalarType(type))

function operated(op: string, parts: readonly Estimate[]): Estimate {
  const cost = sum(parts)
  const [left, right] = parts
  if (left === undefined || right === undefined) return { cost: cost + 1, size: 1 }
  const smaller = Math.min(left.size, right.size)
  if (op === '==' || op === '!=') return { cost: cost + traversal(smaller), size: 1 }
  if (op === 'in') return { cost: cost + right.size, size: 1 }
  if (['<', '<=', '>', '>='].includes(op) && (isText(left) || isText(right)))
    return { cost: cost + traversal(smaller), size: 1 }
  if (op === '+' && (isText(left) || isText(right))) {
    const size = left.size + right.size
    return { cost: cost + traversal(size), size, type: left.type }
  }
  if (op === '+' && (left.type?.['type'] === 'array' || left.element !== undefined))
    return { ...left, cost: cost + 1, size: left.size + right.size }
  return { cost: cost + 1, size: 1 }
}

const parsing: ReadonlySet<string> = new Set(
  'url isURL cidr isIP isCIDR ip quantity isQuantity semver isSemver'.split(' '),
)

function called([name, args]: readonly [string, readonly Node[]], names: Names): Estimate {
  if (name === 'has') return { cost: 0, size: 1 }
  const parts = args.map((arg) => estimate(arg, names))
  const [first] = parts
  if (first !== undefined && parsing.has(name) && name !== 'isURL')
    return { cost: sum(parts) + traversal(first.size), size: first.size }
  return { cost: sum(parts) + 1, size: 1 }
}

/** Cost of one round and at the end of what macros are expanded to, beside that of their bodies. */
const rounds: Readonly<Record<string, readonly [round: number, end: number]>> = {
  all: [3, 1],
  exists: [4, 1],
  exists_one: [2, 2],
  existsOne: [2, 2],
  map: [12, 11],
  filter: [13, 11],
  transformList: [12, 11],
}

function methodCalled(call: readonly [string, Node, readonly Node[]], names: Names): Estimate {
  const [name, receiver, args] = call
  const round = Object.hasOwn(rounds, name) ? rounds[name] : undefined
  if (round !== undefined && args[0]?.op === 'id') return repeated(call, round, names)
  if (name === 'bind' && args[0]?.op === 'id' && args[1] !== undefined && args[2] !== undefined) {
    const bound = estimate(args[1], names)
    const result = estimate(args[2], new Map(names).set(String(args[0].args), bound))
    return { ...result, cost: result.cost + bound.cost + listCost }
  }
  const target = estimate(receiver, names)
  const parts = args.map((arg) => estimate(arg, names))
  const base = target.cost + sum(parts)
  return { ...methodOf(name, target, parts), cost: base + methodCost(name, target, parts) }
}

function repeated(
  [name, receiver, args]: readonly [string, Node, readonly Node[]],
  [round, end]: readonly [number, number],
  names: Names,
): Estimate {
  const target = estimate(receiver, names)
  const [first, second] = args
  const hasTwo = second?.op === 'id' && args.length > 2 && name !== 'map'
  const key: Estimate = target.type !== undefined && isMap(target.type) ? { cost: 1, size: 0 } : elementEstimate(target)
  const inner = new Map(names).set(String(first?.args), hasTwo ? { cost: 1, size: 0 } : key)
  if (hasTwo) inner.set(String(second.args), elementEstimate(target))
  const bodies = args.slice(hasTwo ? 2 : 1).map((body) => estimate(body, inner))
  const cost = target.cost + end + target.size * (round + sum(bodies))
  if (name === 'filter') return { ...target, cost }
  return name === 'map' || name === 'transformList'
    ? { cost, size: target.size, element: bodies.at(-1) }
    : { cost, size: 1 }
}

function methodCost(name: string, target: Estimate, parts: readonly Estimate[]): number {
  const [first = { cost: 0, size: 0 }] = parts
  switch (name) {
    case 'startsWith':
    case 'endsWith':
      return traversal(first.size)
    case 'contains':
      return traversal(target.size) * traversal(first.size)
    case 'matchesRe2':
    case 'find':
    case 'findAll':
      return traversal(target.size + 1) * Math.ceil(first.size * regexFactor)
    case 'lowerAscii':
    case 'upperAscii':
    case 'substring':
    case 'trim':
      return traversal(target.size)
    case 'replace':
    case 'split':
      return Math.ceil(target.size * 2 * textFactor)
    case 'isSorted':
    case 'sum':
    case 'min':
    case 'max':
    case 'indexOf':
    case 'lastIndexOf':
      return searchCost(target)
    case 'join':
      return traversal(target.size * elementEstimate(target).size)
    default:
      return 1
  }
}

function searchCost(target: Estimate): number {
  if (isText(target)) return traversal(target.size)
  const element = elementEstimate(target)
  return target.size * (isText(element) ? 1 + traversal(element.size) : 1)
}

/** The size of what a method makes. */
function methodOf(name: string, target: Estimate, parts: readonly Estimate[]): Omit<Estimate, 'cost'> {
  if (['lowerAscii', 'upperAscii', 'substring', 'trim'].includes(name)) return { size: target.size, type: target.type }
  if (name === 'orValue') return { size: 1, type: parts[0]?.type }
  return { size: 1 }
}
