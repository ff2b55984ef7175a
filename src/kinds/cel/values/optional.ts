// A value that may be missing.

import { type CelType, dynType, optionalOf } from '../types/type.ts'
import { isEqualValue, TypedValue } from './typed.ts'

export class CelOptional extends TypedValue {
  static readonly none = new CelOptional(undefined)
  readonly celType: CelType = optionalOf(dynType)
  /** Undefined if there is none. */
  readonly held: unknown

  constructor(held: unknown) {
    super()
    this.held = held
  }

  get hasValue(): boolean {
    return this.held !== undefined
  }

  value(): unknown {
    if (this.held === undefined) throw new Error('optional.none() dereference')
    return this.held
  }

  override equals(other: CelOptional): boolean {
    if (!this.hasValue || !other.hasValue) return this.hasValue === other.hasValue
    return isEqualValue(this.held, other.held)
  }
}
