// What planned parts of an expression are: functions of what an evaluation knows while it runs.

import type { Meter } from './meter.ts'
import type { Node } from './syntax/tree.ts'

export interface Frame {
  readonly values: Readonly<Record<string, unknown>>
  /** Of loops, by how deep they are. */
  readonly locals: unknown[]
  readonly meter: Meter
}

export type Run = (frame: Frame) => unknown

/** Plans parts inside of others. */
export interface Plans {
  /** Names of the loops around. */
  readonly locals: string[]
  plan(node: Node): Run
}

/** What was thrown, kept as a value until somebody needs it. */
export class Failed {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

export const listCost = 10
export const mapCost = 30

/** An evaluation that has cost too much ends, whatever else there is. */
export function attempt(run: Run, frame: Frame): unknown {
  try {
    return run(frame)
  } catch (error) {
    if (frame.meter.isOver) throw error
    return new Failed(error)
  }
}

export function conditional(condition: Run, yes: Run, no: Run): Run {
  return (frame) => {
    const holds = condition(frame)
    if (typeof holds !== 'boolean') throw new Error('no such overload')
    return holds ? yes(frame) : no(frame)
  }
}
