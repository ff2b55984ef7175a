// The state of one walk over a value that has something to report: where it is, and what it found.

import type { Json } from '../object.ts'
import type { ParsedText } from '../text/parsed.ts'
import type { Plan } from './plan.ts'

/** The value does not fit its type. The message is what Go's JSON decoder says. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

/** How many faults of strict decoding are listed, as in Kubernetes. */
const maxStrictErrors = 100

type PathEntry = { readonly field: string } | { readonly key: string } | { readonly index: number }

export class Walk {
  /** What strict decoding would refuse: unknown and repeated fields. */
  readonly strictErrors: string[] = []
  /** Paths of fields that a custom resource's schema does not know; reported in order of their names. */
  readonly pruned: string[] = []
  readonly #path: PathEntry[] = []
  readonly #structs: string[] = []
  readonly #parsed: ParsedText | undefined
  #firstError: DecodeError | undefined
  /** Values did not come from text: faults are those of Kubernetes' conversion of values, which ends at the first. */
  readonly converts: boolean

  constructor({ parsed, converts }: { readonly parsed: ParsedText | undefined; readonly converts: boolean }) {
    this.converts = converts
    this.#parsed = parsed
  }

  get repeatsKeys(): boolean {
    return this.#parsed !== undefined && this.#parsed.duplicateKeys.size > 0
  }

  enterStruct(goType: string): void {
    this.#structs.push(goType.slice(goType.lastIndexOf('.') + 1))
  }

  leaveStruct(): void {
    this.#structs.pop()
  }

  enter(entry: PathEntry): void {
    this.#path.push(entry)
  }

  leave(): void {
    this.#path.pop()
  }

  unknown(field: string): void {
    this.#strict(() => `unknown field "${this.#pathOf(field)}"`)
  }

  prune(field: string): void {
    this.pruned.push(this.#pathOf(field))
  }

  /** Reports `key` of `owner` if the text repeats it. */
  repeated(owner: object, key: string): void {
    if (this.#parsed?.duplicateKeys.get(owner)?.includes(key) !== true) return
    this.#strict(() => `duplicate field "${this.#pathOf(key)}"`)
  }

  #strict(message: () => string): void {
    if (this.strictErrors.length >= maxStrictErrors) return
    const text = message()
    if (!this.strictErrors.includes(text)) this.strictErrors.push(text)
  }

  /** A value of the wrong type: the walk goes on, and ends in the first of them unless something worse comes. */
  wrongType(value: Json, plan: Plan, literal?: string): void {
    if (this.converts) throw new DecodeError(conversionText(value, plan))
    this.#firstError ??= new DecodeError(this.#unmarshalText(valueText(value, plan, literal), goTypeOf(plan)))
  }

  /** A value that its type's own decoder does not take ends decoding at once. */
  refuse(message: string): never {
    throw new DecodeError(message)
  }

  /** As `refuse`, where the type's decoder reads the value as a plain Go type. */
  refuseType(value: Json, goType: string): never {
    const text = typeof value === 'number' && goType === 'int32' ? `number ${value}` : kindOf(value)
    if (this.converts) throw new DecodeError(`json: cannot unmarshal ${text} into Go value of type ${goType}`)
    throw new DecodeError(this.#unmarshalText(text, goType))
  }

  saveError(message: string): void {
    if (this.converts) throw new DecodeError(`error decoding from json: ${message}`)
    this.#firstError ??= new DecodeError(message)
  }

  /** How the text wrote a number that only looks whole as a value. */
  literalOf(owner: object, key: string, value: Json): string | undefined {
    const literal = this.#parsed?.literals.get(owner)?.get(key)
    return literal !== undefined && Number(literal) === value ? literal : undefined
  }

  /** What another walk has found wrong, over a part of the same value. */
  takeFault(inner: Walk): void {
    this.#firstError ??= inner.#firstError
  }

  throwFirst(): void {
    if (this.#firstError !== undefined) throw this.#firstError
  }

  #unmarshalText(what: string, goType: string): string {
    const struct = this.#structs.at(-1)
    if (struct === undefined) return `json: cannot unmarshal ${what} into Go value of type ${goType}`
    const fields = this.#path.flatMap((entry) => ('field' in entry ? [entry.field] : []))
    return `json: cannot unmarshal ${what} into Go struct field ${struct}.${fields.join('.')} of type ${goType}`
  }

  #pathOf(field: string): string {
    let text = ''
    for (const entry of this.#path) {
      if ('index' in entry) text += `[${entry.index}]`
      else text += `${text === '' ? '' : '.'}${'field' in entry ? entry.field : entry.key}`
    }
    return text === '' ? field : `${text}.${field}`
  }
}

const goTypeOf = (plan: Plan): string => (plan.is === 'custom' ? 'interface {}' : plan.goType)

export function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : value === null ? 'null' : typeof value
}

/** Go names the number where a number was wanted but this one does not fit. */
function valueText(value: Json, plan: Plan, literal: string | undefined): string {
  const numeric = plan.is === 'leaf' && (plan.kind === 'int' || plan.kind === 'float')
  return typeof value === 'number' && numeric ? `number ${literal ?? value}` : kindOf(value)
}

/** What k8s.io/apimachinery/pkg/runtime says of a value that cannot become one of the type. */
function conversionText(value: Json, plan: Plan): string {
  const kind = goKindOf(value)
  switch (plan.is) {
    case 'struct':
      return `cannot restore struct from: ${kind}`
    case 'map':
      return `cannot restore map from ${kind}`
    case 'list':
      return `cannot restore slice from ${kind}`
    default: {
      const type = goTypeOf(plan)
      const numeric = plan.is === 'leaf' && (plan.kind === 'int' || plan.kind === 'float')
      if (plan.is === 'leaf' && plan.kind === 'bytes') return `cannot restore slice from ${kind}`
      const convertible = typeof value === 'number' && (numeric || (plan.is === 'leaf' && plan.kind === 'string'))
      return convertible ? `cannot convert ${kind} to ${type}` : `unrecognized type: ${baseKind(plan, type)}`
    }
  }
}

/** The kind of Go type that a named type (`v1.PullPolicy`) is made of. */
const baseKind = (plan: Plan, type: string): string => (plan.is === 'leaf' && plan.kind === 'string' ? 'string' : type)

function goKindOf(value: Json): string {
  if (Array.isArray(value)) return 'slice'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : typeof value === 'object' ? 'map' : 'string'
}
