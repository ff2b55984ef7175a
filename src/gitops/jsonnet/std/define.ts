// How functions of the standard library are written down.

import type { ParameterName } from '../values/arguments.ts'
import { FunctionValue, type Lazy, type Value } from '../values/value.ts'

// Arguments come as they are: each function says itself what it needs of them, and when.
type Work = (...slots: Lazy[]) => Value

/** `parameters` are names with spaces in between; those that end in `?` may be left out, and have a default in `work`. */
export function define(name: string, parameters: string, work: Work): readonly [string, FunctionValue] {
  const names: ParameterName[] = parameters
    .split(' ')
    .filter((each) => each !== '')
    .map((each) => ({ name: each.replace('?', ''), isOptional: each.endsWith('?') }))
  // A slot that is undefined takes the default of `work`.
  return [name, new FunctionValue(name, names, (slots) => work(...(slots as Lazy[])))]
}

export type Library = readonly (readonly [string, Value])[]
