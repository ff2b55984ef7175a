// What evaluating an expression costs, counted while it runs, in the units of cel-go's tracker and of Kubernetes' library
// (k8s.io/apiserver/pkg/cel/library/cost.go). Every evaluation has a limit of its own; several can share a budget.
// The tree of a checked expression is made to count before it is evaluated for the first time.

import { callCost, operatorCost } from './call-cost.ts'

/** As Kubernetes' PerCallLimit. */
const evaluationLimit = 1_000_000

export const costExceeded = 'operation cancelled: actual cost limit exceeded'

/** What several evaluations may cost together. */
export class CelBudget {
  #left: number
  constructor(units: number) {
    this.#left = units
  }

  get isSpent(): boolean {
    return this.#left < 0
  }

  spend(units: number): void {
    this.#left -= units
  }
}

class Meter {
  #cost = 0
  get cost(): number {
    return this.#cost
  }
  get isOver(): boolean {
    return this.#cost > evaluationLimit
  }
  charge(units: number): void {
    this.#cost += units
    if (this.isOver) throw new Error(costExceeded)
  }
}

/** Of the evaluation that runs now; expressions can evaluate others, which they then wait for. */
let meter = new Meter()

const charge = (units: number): void => meter.charge(units)

/** Whether what runs now must come to its end: loops that put errors aside ask for it. */
export const mustStop = (): boolean => meter.isOver

/** Evaluates within the limit, and takes what it cost from the budget. An expression cannot catch that it is over. */
export function metered(work: () => unknown, budget: CelBudget | undefined): unknown {
  const around = meter
  const own = new Meter()
  meter = own
  try {
    const result = work()
    if (own.isOver) throw new Error(costExceeded)
    return result
  } finally {
    meter = around
    budget?.spend(own.cost)
  }
}

type Run = (evaluator: unknown, node: Node, context: unknown) => unknown
type Handle = (...args: readonly unknown[]) => unknown

interface Meta {
  readonly alternate?: Node
  readonly macro?: unknown
  readonly evaluate: Run
}

interface Node {
  readonly op: string
  readonly args: unknown
  readonly meta: Meta
  handle?: Handle
  setMeta(key: 'evaluate', run: Run): void
}

interface Comprehension {
  readonly kind?: string
  readonly iterable: Node
  readonly init: Node
  readonly step: Node
  condition?: (accumulated: unknown) => boolean
  result: (accumulated: unknown) => unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value

/** Makes a checked tree count. Nodes can stand in it twice: each counts once. */
export function countCosts(value: unknown, done = new Set<unknown>()): void {
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) countCosts(element, done)
    return
  }
  if (!isNode(value) || done.has(value)) return
  done.add(value)
  const { alternate, macro } = value.meta
  if (alternate !== undefined) countCosts(alternate, done)
  else if (value.op === 'comprehension') countRounds(value.args as Comprehension, done)
  else {
    if (macro === undefined) countNode(value)
    if (value.op !== 'value') countCosts(value.args, done)
  }
}

/** What is charged before a node is evaluated, whatever its operands. */
const fixed: Readonly<Record<string, number>> = {
  id: 1,
  list: 10,
  map: 30,
  // What `map` and `filter` make of each element: a list that is added to another.
  accuPush: 12,
  accuValue: 1,
  accuInc: 2,
}

function countNode(node: Node): void {
  const units = fixed[node.op]
  if (units !== undefined) {
    const run = node.meta.evaluate
    node.setMeta('evaluate', (evaluator, ast, context) => {
      charge(units)
      return run(evaluator, ast, context)
    })
    return
  }
  const { handle, op } = node
  if (handle === undefined || ['?:', '&&', '||'].includes(op)) return
  if (op === 'call' || op === 'rcall') {
    const name = String((node.args as readonly unknown[])[0])
    node.handle = (operands, ...rest) => {
      const result = handle(operands, ...rest)
      charge(callCost(name, operands as readonly unknown[], result))
      return result
    }
    return
  }
  node.handle = (left, right, ...rest) => {
    charge(operatorCost(op, left, right))
    return handle(left, right, ...rest)
  }
}

/** What a quantifier asks before each element: whether it is decided yet. */
const decidedCost = 3

function countRounds(loop: Comprehension, done: Set<unknown>): void {
  const { condition, result } = loop
  if (loop.kind === 'quantifier' && condition !== undefined)
    loop.condition = (accumulated) => {
      if (mustStop()) return false
      charge(decidedCost)
      return condition(accumulated)
    }
  loop.result = (accumulated) => {
    charge(1)
    return result(accumulated)
  }
  countCosts([loop.iterable, loop.init, loop.step], done)
}
