// Values that may be missing: made, asked and unwrapped (cel-go's OptionalTypes).

import type { Functions } from '../types/functions.ts'
import { CelUint } from '../values/numbers.ts'
import { CelOptional } from '../values/optional.ts'
import { CelDuration, CelTimestamp } from '../values/time.ts'
import { isList, isMap, sizeOfMap } from '../values/typed.ts'

function isZero(value: unknown): boolean {
  if (value === null || value === '' || value === false || value === 0n || value === 0) return true
  if (value instanceof CelUint) return value.value === 0n
  if (value instanceof CelDuration) return value.nanos === 0n
  if (value instanceof CelTimestamp) return value.nanos === -62_135_596_800_000_000_000n
  if (value instanceof CelOptional) return !value.hasValue || isZero(value.held)
  if (isList(value) || value instanceof Uint8Array) return value.length === 0
  return isMap(value) && sizeOfMap(value) === 0
}

function unwrapped(list: readonly unknown[]): readonly unknown[] {
  return list.flatMap((value) => {
    if (!(value instanceof CelOptional)) throw new Error(`value ${String(value)} is not optional`)
    return value.hasValue ? [value.held] : []
  })
}

const optionalOf = (value: unknown): CelOptional => (value === undefined ? CelOptional.none : new CelOptional(value))

export function addOptionals(functions: Functions): void {
  functions.declare('optional.of', '(V) -> optional_type(V)', optionalOf)
  functions.declare('optional.ofNonZeroValue', '(V) -> optional_type(V)', (value: unknown) =>
    isZero(value) ? CelOptional.none : new CelOptional(value),
  )
  functions.declare('optional.none', '() -> optional_type(V)', () => CelOptional.none)
  functions.declare('value', 'optional_type(V).() -> V', (optional: CelOptional) => optional.value())
  functions.declare('hasValue', 'optional_type(V).() -> bool', ({ hasValue }: CelOptional) => hasValue)
  functions.declare('or', 'optional_type(V).(optional_type(V)) -> optional_type(V)')
  functions.declare('orValue', 'optional_type(V).(V) -> V')
  functions.declare('first', 'list(V).() -> optional_type(V)', (list: readonly unknown[]) => optionalOf(list[0]))
  functions.declare('last', 'list(V).() -> optional_type(V)', (list: readonly unknown[]) => optionalOf(list.at(-1)))
  functions.declare('optional.unwrap', '(list(optional_type(V))) -> list(V)', unwrapped)
  functions.declare('unwrapOpt', 'list(optional_type(V)).() -> list(V)', unwrapped)
}
