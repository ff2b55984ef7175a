// Every set of parameters of one generator with every set of another. The second may use the parameters of the first.

import { merged } from '../merged.ts'
import type { Params } from '../template.ts'
import { GeneratorFault } from './fault.ts'
import type { Generate } from './generator.ts'

export const matrix: Generate = async (generator, { style }, inner) => {
  const [first, second, third] = generator.matrix?.generators ?? []
  if (first === undefined || second === undefined || third !== undefined)
    throw new GeneratorFault('matrix: exactly two generators are needed')
  const all: Params[] = []
  for (const left of await inner(first, {})) {
    for (const right of await inner(second, left))
      all.push(style.goTemplate ? merged(left, right) : joined(left, right))
  }
  return all
}

function joined(left: Params, right: Params): Params {
  for (const [name, value] of Object.entries(right)) {
    if (left[name] !== undefined && left[name] !== value)
      throw new GeneratorFault(
        `matrix: found duplicate key ${name} with different value, a: ${String(left[name])} ,b: ${String(value)}`,
      )
  }
  return { ...left, ...right }
}
