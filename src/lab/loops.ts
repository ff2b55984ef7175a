// The loops of a lab by name.

import type { Lab } from './lab.ts'
import { UsageError } from './scenario-error.ts'

/** The name, when there is such a loop. */
export function knownLoop({ machine }: Lab, name: string): string {
  const names = machine.runtime.loops.map((loop) => loop.name)
  if (!names.includes(name)) throw new UsageError(`there is no loop ${name}: ${names.join(', ')}`)
  return name
}
