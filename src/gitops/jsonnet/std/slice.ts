// `array[from:to:step]`, of texts too.

import { checkLength } from '../budget.ts'
import { JsonnetFault } from '../fault.ts'
import { characters, textLength, textSlice } from '../values/text.ts'
import { typeOf } from '../values/types.ts'
import { ArrayValue, type Value } from '../values/value.ts'

export interface Bounds {
  readonly from: Value
  readonly to: Value
  readonly step: Value
}

export function sliceOf(value: Value, bounds: Bounds): Value {
  if (typeof value === 'string') {
    const { from, to, step } = resolved(bounds, textLength(value))
    return step === 1 ? textSlice(value, from, to) : stepped(characters(value), { from, to, step }).join('')
  }
  if (!(value instanceof ArrayValue))
    throw new JsonnetFault(`std.slice accepts a string or an array, but got: ${typeOf(value)}`)
  const { from, to, step } = resolved(bounds, value.elements.length)
  checkLength(Math.max(0, to - from))
  return new ArrayValue(step === 1 ? value.elements.slice(from, to) : stepped(value.elements, { from, to, step }))
}

interface Range {
  readonly from: number
  readonly to: number
  readonly step: number
}

/** Below zero counts from the end. */
function resolved({ from, to, step }: Bounds, length: number): Range {
  const number = (value: Value, usual: number): number => {
    if (value === null) return usual
    if (typeof value === 'number' && Number.isInteger(value)) return value
    throw new JsonnetFault(`Unexpected type ${typeOf(value)}, expected number`)
  }
  const begin = number(from, 0)
  const end = number(to, length)
  const by = number(step, 1)
  if (by < 0) throw new JsonnetFault(`got [${begin}:${end}:${by}] but negative steps are not supported`)
  if (by === 0) throw new JsonnetFault(`got ${by} but step must be greater than 0`)
  return {
    from: begin < 0 ? Math.max(0, length + begin) : begin,
    to: Math.max(0, Math.min(length, end < 0 ? length + end : end)),
    step: by,
  }
}

function stepped<Element>(elements: readonly Element[], { from, to, step }: Range): readonly Element[] {
  const chosen: Element[] = []
  for (let at = from; at < to; at += step) chosen.push(...elements.slice(at, at + 1))
  return chosen
}
