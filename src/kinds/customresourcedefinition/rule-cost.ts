// What a rule can cost at most, as cel-go's checker and Kubernetes' library estimate it. Where a size is not known here,
// the smallest is assumed: a rule is refused only when a real API server refuses it, too.

import type { JsonObject } from '#objects'
import { elementOf, fieldOf, isDynamic, isMap, scalarType } from '../cel/schema-types.ts'
import { type Call, type Comprehension, type Literal, type Node, partsOf } from '../cel/syntax/tree.ts'
import { maxSize } from './rule-sizes.ts'

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
export function ruleCost(tree: Node, variables: ReadonlyMap<string, JsonObject | undefined>): number {
  return estimate(tree, new Map([...variables].map(([name, type]) => [name, ofType(type, 1)]))).cost
}

function estimate(node: Node, names: Names): Estimate {
  const inner = (part: Node): Estimate => estimate(part, names)
  switch (node.kind) {
    case 'literal':
      return literal(node)
    case 'ident':
      return { ...(names.get(node.name) ?? { size: 1 }), cost: 1 }
    case 'select':
      return node.isTest ? { cost: 0, size: 1 } : selected(inner(node.operand), node.field)
    case 'list':
      return made(
        node.elements.map(({ value }) => inner(value)),
        listCost,
      )
    case 'map':
      return made(partsOf(node).map(inner), mapCost)
    case 'message':
      return { cost: sum(partsOf(node).map(inner)), size: 1 }
    case 'call':
      return node.target === undefined ? called(node, names) : methodCalled(node, node.target, names)
    case 'comprehension':
      return repeated(node, names)
  }
}

function literal({ value }: Literal): Estimate {
  return typeof value === 'string'
    ? { cost: 0, size: [...value].length, type: { type: 'string', maxLength: value.length } }
    : { cost: 0, size: 1 }
}

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

const orders: ReadonlySet<string> = new Set(['_<_', '_<=_', '_>_', '_>=_'])

function operated(name: string, parts: readonly Estimate[]): Estimate {
  const cost = sum(parts)
  const [left, right] = parts
  if (left === undefined || right === undefined) return { cost: cost + 1, size: 1 }
  const smaller = Math.min(left.size, right.size)
  if (name === '_==_' || name === '_!=_') return { cost: cost + traversal(smaller), size: 1 }
  if (name === '@in') return { cost: cost + right.size, size: 1 }
  if (orders.has(name) && (isText(left) || isText(right))) return { cost: cost + traversal(smaller), size: 1 }
  if (name === '_+_' && (isText(left) || isText(right))) {
    const size = left.size + right.size
    return { cost: cost + traversal(size), size, type: left.type }
  }
  if (name === '_+_' && (left.type?.['type'] === 'array' || left.element !== undefined))
    return { ...left, element: left.element ?? right.element, cost: cost + 1, size: left.size + right.size }
  return { cost: cost + 1, size: 1 }
}

const parsing: ReadonlySet<string> = new Set(
  'url isURL cidr isIP isCIDR ip quantity isQuantity semver isSemver'.split(' '),
)

function called({ name, args }: Call, names: Names): Estimate {
  const parts = args.map((arg) => estimate(arg, names))
  const [first, second, third] = parts
  if (first === undefined) return { cost: 1, size: 1 }
  if (name === '_&&_' || name === '_||_') return { cost: sum(parts), size: 1 }
  if (name === '_?_:_' && second !== undefined && third !== undefined)
    return { ...(second.size > third.size ? second : third), cost: first.cost + Math.max(second.cost, third.cost) }
  if (name === '_[_]') return { ...elementEstimate(first), cost: sum(parts) + 1 }
  if (parsing.has(name) && name !== 'isURL') return { cost: sum(parts) + traversal(first.size), size: first.size }
  return operated(name, parts)
}

function methodCalled({ name, args }: Call, receiver: Node, names: Names): Estimate {
  const target = estimate(receiver, names)
  const parts = args.map((arg) => estimate(arg, names))
  const base = target.cost + sum(parts)
  return { ...methodOf(name, target, parts), cost: base + methodCost(name, target, parts) }
}

const isEmptyList = (node: Node): boolean => node.kind === 'list' && node.elements.length === 0

function repeated(node: Comprehension, names: Names): Estimate {
  const target = estimate(node.range, names)
  const begin = estimate(node.begin, names)
  const around = new Map(names).set(node.gathered, begin)
  // A loop over nothing gives a value a name.
  if (isEmptyList(node.range) && !isEmptyList(node.begin) && node.condition.kind === 'literal') {
    const result = estimate(node.result, around)
    return { ...result, cost: target.cost + begin.cost + result.cost }
  }
  const isOfMap = target.type !== undefined && isMap(target.type)
  const [first, second] = node.variables
  const key: Estimate = { cost: 1, size: 0 }
  const inside = new Map(around).set(first, isOfMap || second !== undefined ? key : elementEstimate(target))
  if (second !== undefined) inside.set(second, elementEstimate(target))
  const condition = estimate(node.condition, inside)
  const step = estimate(node.step, inside)
  const result = estimate(node.result, around)
  const cost = target.cost + begin.cost + result.cost + target.size * (condition.cost + step.cost)
  return node.begin.kind === 'list' || node.begin.kind === 'map'
    ? { cost, size: target.size, element: step.element }
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
    case 'matches':
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
