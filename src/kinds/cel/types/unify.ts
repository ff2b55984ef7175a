// Whether a value of one type can stand where another is wanted, and what types stand for parameters then (the checker of
// cel-go). What is assumed is taken back where it does not hold.

import { type CelType, dynType, isDyn, isDynOrError, isSameType, nameOf, paramsOf, withParams } from './type.ts'

export class Substitutions {
  readonly #known = new Map<string, CelType>()
  readonly #log: (readonly [name: string, before: CelType | undefined])[] = []
  #fresh = 0

  /** A parameter that nothing is known of. */
  fresh(): CelType {
    this.#fresh += 1
    return { kind: 'param', name: `_var${this.#fresh - 1}` }
  }

  find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.#known.get(type.name) : undefined
  }

  set(type: CelType, value: CelType): void {
    const name = nameOf(type)
    this.#log.push([name, this.#known.get(name)])
    this.#known.set(name, value)
  }

  /** Keeps what was assumed only if it holds. */
  #tried(attempt: () => boolean): boolean {
    const from = this.#log.length
    if (attempt()) return true
    for (const [name, before] of this.#log.splice(from).reverse())
      if (before === undefined) this.#known.delete(name)
      else this.#known.set(name, before)
    return false
  }

  isAssignable(a: CelType, b: CelType): boolean {
    return this.#tried(() => assignable(this, a, b))
  }

  areAssignable(a: readonly CelType[], b: readonly CelType[]): boolean {
    return this.#tried(() => allAssignable(this, a, b))
  }

  /** The type with what is known of its parameters; those of which nothing is known stay or become dyn. */
  resolve(type: CelType, isFinal = false): CelType {
    const found = this.find(type)
    if (found !== undefined) return this.resolve(found, isFinal)
    if (type.kind === 'param') return isFinal ? dynType : type
    const params = paramsOf(type)
    const resolved = params.map((param) => this.resolve(param, isFinal))
    return resolved.every((param, i) => param === params[i]) ? type : withParams(type, resolved)
  }
}

const nullable: ReadonlySet<string> = new Set(['opaque', 'object', 'any', 'duration', 'timestamp', 'null'])

function assignable(known: Substitutions, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const { isValid, isKnown } = substitutes(known, a, b)
    if (isValid || isKnown) return isValid
  }
  if (a.kind === 'param') return substitutes(known, b, a).isValid
  if (isDynOrError(a) || isDynOrError(b)) return true
  if (a.kind === 'null') return nullable.has(b.kind)
  if (b.kind === 'null') return nullable.has(a.kind)
  if (a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  return nameOf(a) === nameOf(b) && allAssignable(known, paramsOf(a), paramsOf(b))
}

const allAssignable = (known: Substitutions, a: readonly CelType[], b: readonly CelType[]): boolean =>
  a.length === b.length && a.every((type, i) => assignable(known, type, b[i] as CelType))

/** Whether the parameter can stand for the type. */
function substitutes(
  known: Substitutions,
  type: CelType,
  param: CelType,
): { readonly isValid: boolean; readonly isKnown: boolean } {
  if (isSameType(type, param)) return { isValid: true, isKnown: true }
  const before = known.find(param)
  if (before === undefined) {
    if (!isFree(known, param, type)) return { isValid: false, isKnown: false }
    known.set(param, type)
    return { isValid: true, isKnown: false }
  }
  if (isSameType(type, before)) return { isValid: true, isKnown: true }
  if (!assignable(known, type, before)) return { isValid: false, isKnown: true }
  const wider = moreGeneral(type, before)
  if (isFree(known, param, wider)) known.set(param, wider)
  return { isValid: true, isKnown: true }
}

/** Whether the parameter is not part of the type. */
function isFree(known: Substitutions, param: CelType, type: CelType): boolean {
  if (isSameType(param, type)) return false
  if (type.kind === 'param') {
    const found = known.find(type)
    return found === undefined || isFree(known, param, found)
  }
  return paramsOf(type).every((inner) => isFree(known, param, inner))
}

/** The more general of two types that can stand for one another. */
export const moreGeneral = (a: CelType, b: CelType): CelType => (isEqualOrWider(a, b) ? a : b)

function isEqualOrWider(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (nameOf(a) !== nameOf(b)) return false
  const [left, right] = [paramsOf(a), paramsOf(b)]
  return left.length === right.length && left.every((param, i) => isEqualOrWider(param, right[i] as CelType))
}
