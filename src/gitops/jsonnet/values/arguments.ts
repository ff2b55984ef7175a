// Arguments of a call by the order of the function's parameters.

import { JsonnetFault } from '../fault.ts'

export interface ParameterName {
  readonly name: string
  readonly isOptional: boolean
}

/** One slot for each parameter; those that are not given are undefined, and optional. */
export function slotsFor<Argument>(
  parameters: readonly ParameterName[],
  positional: (Argument | undefined)[],
  named: readonly (readonly [name: string, value: Argument])[],
): (Argument | undefined)[] {
  if (positional.length > parameters.length)
    throw new JsonnetFault(
      `function expected ${parameters.length} positional argument(s), but got ${positional.length}`,
    )
  if (named.length === 0 && positional.length === parameters.length) return positional
  const slots = parameters.map((_parameter, index) => positional[index])
  for (const [name, value] of named) {
    const index = parameters.findIndex((parameter) => parameter.name === name)
    if (index < 0) throw new JsonnetFault(`function has no parameter ${name}`)
    if (slots[index] !== undefined) throw new JsonnetFault(`Argument ${name} already provided`)
    slots[index] = value
  }
  for (const [index, { name, isOptional }] of parameters.entries()) {
    if (slots[index] === undefined && !isOptional) throw new JsonnetFault(`Missing argument: ${name}`)
  }
  return slots
}
