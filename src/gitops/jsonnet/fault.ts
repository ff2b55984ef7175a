// What is wrong with a program, and how the evaluation came there: the innermost place first.

import type { Place } from './syntax/source-text.ts'

/** A place and what was being worked out there: `function <deploy>`, `object <spec>`. */
export interface Frame {
  readonly place: Place
  readonly context: string
}

export class JsonnetFault extends Error {
  override readonly name = 'JsonnetFault'
  readonly frames: Frame[] = []

  constructor(message: string, frame?: Frame) {
    super(message)
    if (frame !== undefined) this.frames.push(frame)
  }
}

/** A fault of the text itself, whatever is evaluated. */
export const faultAt = (message: string, place: Place): JsonnetFault =>
  new JsonnetFault(message, { place, context: '' })

/** A limit of this evaluator, not a fault that every evaluator would find. */
export class LimitFault extends JsonnetFault {}

/** Notes on its way out that a fault came through `frame`. */
export function through(error: unknown, frame: Frame): unknown {
  if (error instanceof JsonnetFault) error.frames.push(frame)
  return error
}

/** Notes where a fault is that does not know that yet. */
export function at(error: unknown, frame: Frame): unknown {
  if (error instanceof JsonnetFault && error.frames.length === 0) error.frames.push(frame)
  return error
}
