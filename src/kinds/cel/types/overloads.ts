// Which ways a function has for what it is given, and what comes out.

import type { Overload } from './functions.ts'
import { type CelType, dynType, isDyn, isSameType } from './type.ts'
import { Substitutions } from './unify.ts'

export interface Fitting {
  readonly fitting: readonly Overload[]
  /** Undefined where there is none. */
  readonly result: CelType | undefined
}

export function fittingOverloads(
  overloads: readonly Overload[],
  { given, isMember }: { readonly given: readonly CelType[]; readonly isMember: boolean },
  known: Substitutions,
): Fitting {
  const fitting: Overload[] = []
  let result: CelType | undefined
  for (const overload of overloads) {
    if (overload.isMember !== isMember) continue
    const { params, returns } = instance(overload, known)
    if (!known.areAssignable(given, params)) continue
    fitting.push(overload)
    const own = known.resolve(returns)
    if (result === undefined) result = own
    else if (!isDyn(result) && !isSameType(own, result)) result = dynType
  }
  return { fitting, result }
}

/** The overload with parameters of its own. */
function instance(
  { args, result, paramNames }: Overload,
  known: Substitutions,
): {
  readonly params: readonly CelType[]
  readonly returns: CelType
} {
  if (paramNames.length === 0) return { params: args, returns: result }
  const own = new Substitutions()
  for (const name of paramNames) own.set({ kind: 'param', name }, known.fresh())
  return { params: args.map((type) => own.resolve(type)), returns: own.resolve(result) }
}
