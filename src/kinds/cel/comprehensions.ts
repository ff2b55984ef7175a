// Macros over lists and maps with two variables, place and value: `self.all(i, v, …)`, `transformList` and their like
// (cel-go's ext.TwoVarComprehensions).

import { type ASTNode, type Environment, Optional } from '@marcbachmann/cel-js'
import { mustStop } from './cost.ts'

interface Context {
  forkWithVariable(name: string, type: unknown): Overlay
}

interface Overlay extends Context {
  reuse(parent: Context): Overlay
  setIterValue(value: unknown, evaluator: Evaluator): Overlay
}

interface Checker {
  readonly dynType: unknown
  check(node: ASTNode, context: Context): unknown
  getType(name: string): unknown
  createError(code: string, message: string, node: ASTNode): Error
}

interface Evaluator {
  run(node: ASTNode, context: Context): unknown
}

type Entry = readonly [key: unknown, value: unknown]

/** Goes through the entries; `ask` evaluates one of the macro's expressions for an entry. */
type Fold = (entries: readonly Entry[], ask: (index: number, entry: Entry) => unknown) => unknown

interface Expansion {
  readonly args: readonly ASTNode[]
  readonly receiver: ASTNode
}

function entriesOf(value: unknown): readonly Entry[] {
  if (Array.isArray(value)) return (value as readonly unknown[]).map((element, i) => [BigInt(i), element])
  if (value instanceof Map) return [...(value as ReadonlyMap<unknown, unknown>)]
  if (typeof value === 'object' && value !== null) return Object.entries(value)
  throw new Error('no such overload: only lists and maps have elements')
}

function macro(fold: Fold, result: string) {
  return ({ args, receiver }: Expansion) => {
    const [key, value, ...bodies] = args as readonly [ASTNode, ASTNode, ...ASTNode[]]
    let outer: Overlay
    let inner: Overlay
    return {
      async: false,
      typeCheck(checker: Checker, _macro: unknown, context: Context): unknown {
        if (key.op !== 'id' || value.op !== 'id')
          throw checker.createError('invalid_macro_argument', 'argument must be a simple name', key)
        checker.check(receiver, context)
        outer = context.forkWithVariable(key.args, checker.dynType)
        inner = outer.forkWithVariable(value.args, checker.dynType)
        for (const body of bodies) checker.check(body, inner)
        return checker.getType(result)
      },
      evaluate(evaluator: Evaluator, _macro: unknown, context: Context): unknown {
        const entries = entriesOf(evaluator.run(receiver, context))
        return fold(entries, (index, [k, v]) => {
          const body = bodies[index]
          const first = outer.reuse(context).setIterValue(k, evaluator)
          return body === undefined ? true : evaluator.run(body, inner.reuse(first).setIterValue(v, evaluator))
        })
      },
    }
  }
}

/** Errors of single entries count only when no other entry decides. */
function quantified(decisive: boolean): Fold {
  return (entries, ask) => {
    const errors: unknown[] = []
    for (const entry of entries) {
      if (mustStop()) break
      try {
        if (ask(0, entry) === decisive) return decisive
      } catch (error) {
        errors.push(error)
      }
    }
    if (errors.length > 0) throw errors[0]
    return !decisive
  }
}

const existsOne: Fold = (entries, ask) => entries.filter((entry) => ask(0, entry) === true).length === 1

/** With three expressions the first of them chooses. */
const chosen = (
  hasFilter: boolean,
  fold: (kept: readonly Entry[], make: (entry: Entry) => unknown) => unknown,
): Fold => {
  return (entries, ask) =>
    fold(hasFilter ? entries.filter((entry) => ask(0, entry) === true) : entries, (entry) =>
      ask(hasFilter ? 1 : 0, entry),
    )
}

const toList = (hasFilter: boolean): Fold => chosen(hasFilter, (kept, make) => kept.map(make))

const toMap = (hasFilter: boolean): Fold =>
  chosen(hasFilter, (kept, make) => Object.fromEntries(kept.map((entry) => [String(entry[0]), make(entry)])))

const toEntries = (hasFilter: boolean): Fold =>
  chosen(hasFilter, (kept, make) => {
    const made: Record<string, unknown> = {}
    for (const entry of kept)
      for (const [key, value] of entriesOf(unwrapped(make(entry)))) {
        if (Object.hasOwn(made, String(key))) throw new Error(`insert failed: key ${String(key)} already exists`)
        made[String(key)] = value
      }
    return made
  })

const unwrapped = (value: unknown): unknown => (value instanceof Optional ? value.orValue({}) : value)

export function addTwoVariableMacros(env: Environment): void {
  const add = (name: string, bodies: 1 | 2, fold: Fold, result = 'dyn'): void => {
    const asts = Array.from({ length: 2 + bodies }, () => 'ast').join(', ')
    env.registerFunction(`dyn.${name}(${asts}): ${result}`, macro(fold, result) as never)
  }
  add('all', 1, quantified(false), 'bool')
  add('exists', 1, quantified(true), 'bool')
  add('existsOne', 1, existsOne, 'bool')
  for (const bodies of [1, 2] as const) {
    add('transformList', bodies, toList(bodies === 2))
    add('transformMap', bodies, toMap(bodies === 2))
    add('transformMapEntry', bodies, toEntries(bodies === 2))
  }
}
