// Expressions of the Common Expression Language, compiled once and kept: for rules of custom resources, admission policies
// and match conditions of webhooks. The language is @marcbachmann/cel-js; Kubernetes' functions are in library.ts.

import { Environment, type ParseResult } from '@marcbachmann/cel-js'
import { addAuthorizer, authorizerType } from './authorizer.ts'
import { checkFault } from './check-fault.ts'
import { type CelBudget, countCosts, metered } from './cost.ts'
import { addKubernetesLibrary } from './library.ts'
import { loopDepth } from './loops.ts'
import { mend, re2Matches } from './mend.ts'

export interface CelProgram {
  /** The type that the expression has as far as that is known: `bool`, `string`, `dyn` … */
  readonly type: string
  /** Lists that it goes through inside of one another: 2 for each element of one and each of another. */
  readonly loops: number
  /** The names that it uses, of variables among others. */
  readonly names: ReadonlySet<string>
  readonly ast: ParseResult['ast']
  /** Throws an Error that says why it cannot be evaluated. What it costs is taken from the budget; see cost.ts. */
  readonly evaluate: (variables: Readonly<Record<string, unknown>>, budget?: CelBudget) => unknown
}

export type Compiled =
  | { readonly ok: true; readonly program: CelProgram }
  | { readonly ok: false; readonly message: string }

/** Limits of one expression, so that no definition can make a request slow. */
const limits = { maxAstNodes: 10_000, maxDepth: 1000, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 }

/** Programs kept: those of many definitions. */
const maxKept = 5000
const kept = new Map<string, Compiled>()

/** The one variable that is no JSON value. */
const authorizer = 'authorizer'

const environments = new Map<string, Environment>()

function environmentOf(variables: readonly string[]): Environment {
  const key = variables.join(' ')
  const known = environments.get(key)
  if (known !== undefined) return known
  const env = new Environment({ homogeneousAggregateLiterals: false, enableOptionalTypes: true, limits })
  addKubernetesLibrary(env)
  const isAuthorizer = variables.includes(authorizer)
  if (isAuthorizer) addAuthorizer(env)
  for (const name of variables) env.registerVariable(name, name === authorizer ? authorizerType : 'dyn')
  environments.set(key, env)
  return env
}

const functions = new WeakMap<Environment, ReadonlySet<string>>()

function functionsOf(variables: readonly string[]): ReadonlySet<string> {
  const env = environmentOf(variables)
  const known = functions.get(env)
  if (known !== undefined) return known
  const names = new Set(env.getDefinitions().functions.map(({ name }) => name))
  functions.set(env, names)
  return names
}

/** `variables` are the names that the expression may use. */
export function compileCel(expression: string, variables: readonly string[]): Compiled {
  const key = `${variables.join(' ')}\n${expression}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = compile(expression, variables)
  if (kept.size >= maxKept) kept.clear()
  kept.set(key, made)
  return made
}

function compile(expression: string, variables: readonly string[]): Compiled {
  let parsed: ParseResult
  const names = new Set<string>()
  try {
    parsed = environmentOf(variables).parse(expression)
    mend(parsed.ast, names)
  } catch (error) {
    return { ok: false, message: compilationFailure(expression, error) }
  }
  const check = parsed.check()
  if (!check.valid) {
    const { node } = (check.error ?? {}) as { readonly node?: object }
    const fault = checkFault(firstLine(check.error), { expression, node }, (name) => functionsOf(variables).has(name))
    const message = fault && failureAt(expression, fault.at, fault.text)
    return { ok: false, message: message ?? compilationFailure(expression, check.error) }
  }
  countCosts(parsed.ast)
  return {
    ok: true,
    program: {
      type: check.type ?? 'dyn',
      loops: loopDepth(parsed.ast),
      names,
      ast: parsed.ast,
      evaluate: (values, budget) => evaluated(() => metered(() => parsed({ ...values }), budget)),
    },
  }
}

const firstLine = (error: unknown): string =>
  ((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '').replace(re2Matches, 'matches')

function evaluated(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    throw new Error(firstLine(error).replace(/^No such key: /, 'no such key: '))
  }
}

const openings =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** The text and the place of the fault, laid out as cel-go does. */
function compilationFailure(expression: string, error: unknown): string {
  const why = firstLine(error)
  const atEnd = /Unexpected token: EOF/.test(why)
  const at = atEnd ? expression.length : startOf(error)
  const text = atEnd ? `Syntax error: mismatched input '<EOF>' expecting ${openings}` : why
  return failureAt(expression, at, text)
}

/** How cel-go tells what is wrong at a place of an expression. */
export function failureAt(expression: string, at: number, text: string): string {
  const before = expression.slice(0, at)
  const line = before.split('\n').length
  const column = at - (before.lastIndexOf('\n') + 1)
  const source = expression.split('\n')[line - 1] ?? ''
  return `compilation failed: ERROR: <input>:${line}:${column + 1}: ${text}\n | ${source}\n | ${'.'.repeat(column)}^`
}

function startOf(error: unknown): number {
  const { node, range } = (error ?? {}) as {
    readonly node?: { readonly start?: number; readonly pos?: number }
    readonly range?: { readonly start?: number }
  }
  return node?.start ?? range?.start ?? node?.pos ?? 0
}
