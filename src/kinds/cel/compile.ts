// Expressions of the Common Expression Language, compiled once and kept: for rules of custom resources, admission policies
// and match conditions of webhooks.

import { typeConstants } from './environment.ts'
import { Planner } from './evaluate.ts'
import { literalFaults } from './literal-faults.ts'
import { type CelBudget, metered } from './meter.ts'
import type { Run } from './run.ts'
import { type Fault, tellFaults } from './syntax/fault.ts'
import { parseCel } from './syntax/parse.ts'
import { type Node, partsOf } from './syntax/tree.ts'
import { checkTypes, type Surroundings } from './types/check.ts'
import type { Checked } from './types/findings.ts'
import type { CelType } from './types/type.ts'

export interface CelProgram {
  readonly type: CelType
  /** The names that it uses, of variables among others. */
  readonly names: ReadonlySet<string>
  readonly tree: Node
  readonly checked: Checked
  /** Throws an Error that says why it cannot be evaluated. What it costs is taken from the budget; see meter.ts. */
  readonly evaluate: (variables: Readonly<Record<string, unknown>>, budget?: CelBudget) => unknown
}

export type Compiled =
  | { readonly ok: true; readonly program: CelProgram }
  /** All that is wrong, as cel-go tells it. */
  | { readonly ok: false; readonly faults: string }

/** Programs kept of one environment. */
const maxKept = 5000
const kept = new WeakMap<Surroundings, Map<string, Compiled>>()

export function compileCel(expression: string, environment: Surroundings): Compiled {
  const programs = kept.get(environment) ?? new Map<string, Compiled>()
  kept.set(environment, programs)
  const known = programs.get(expression)
  if (known !== undefined) return known
  const made = compile(expression, environment)
  if (programs.size >= maxKept) programs.clear()
  programs.set(expression, made)
  return made
}

function compile(expression: string, environment: Surroundings): Compiled {
  const refused = (faults: readonly Fault[]): Compiled => ({ ok: false, faults: tellFaults(expression, faults) })
  const parsed = parseCel(expression, environment.macros)
  if (!parsed.ok) return refused(parsed.faults)
  const { tree } = parsed
  const checked = checkTypes(tree, environment)
  if (checked.faults.length > 0) return refused(checked.faults)
  const faults = literalFaults(tree)
  if (faults.length > 0) return refused(faults)
  let run: Run | undefined
  const evaluate: CelProgram['evaluate'] = (values, budget) =>
    metered((meter) => {
      run ??= new Planner(checked, typeConstants).plan(tree)
      return run({ values, locals: [], meter })
    }, budget)
  return { ok: true, program: { type: checked.type, names: namesIn(tree), tree, checked, evaluate } }
}

function namesIn(node: Node, names = new Set<string>()): ReadonlySet<string> {
  if (node.kind === 'ident') names.add(node.name)
  for (const part of partsOf(node)) namesIn(part, names)
  return names
}
