// Types of CEL, how they are written, and how functions' types are read from text.

import type { Literal } from '../syntax/tree.ts'
import { CelUint } from '../values/numbers.ts'

export type ScalarKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'duration'
  | 'timestamp'
  | 'any'

export interface Scalar {
  readonly kind: ScalarKind
}

export interface ListType {
  readonly kind: 'list'
  readonly of: CelType
}

export interface MapType {
  readonly kind: 'map'
  readonly key: CelType
  readonly value: CelType
}

/** Something with fields; `field` is absent where none can be selected. */
export interface ObjectType {
  readonly kind: 'object'
  readonly name: string
  readonly field?: (name: string) => CelType | undefined
}

export interface OpaqueType {
  readonly kind: 'opaque'
  readonly name: string
  readonly params: readonly CelType[]
}

export interface TypeType {
  readonly kind: 'type'
  readonly of: CelType | undefined
}

/** Stands for any type, the same wherever it stands. */
export interface Param {
  readonly kind: 'param'
  readonly name: string
}

export type CelType = Scalar | ListType | MapType | ObjectType | OpaqueType | TypeType | Param

const scalars = Object.fromEntries(
  ['dyn', 'error', 'null', 'bool', 'int', 'uint', 'double', 'string', 'bytes', 'duration', 'timestamp', 'any'].map(
    (kind) => [kind, { kind }],
  ),
) as unknown as Readonly<Record<ScalarKind, Scalar>>

export const { dyn: dynType, bool: boolType, int: intType, string: stringType, null: nullType } = scalars
export const scalar = (kind: ScalarKind): Scalar => scalars[kind]
export const listOf = (of: CelType): ListType => ({ kind: 'list', of })
export const mapOf = (key: CelType, value: CelType): MapType => ({ kind: 'map', key, value })
export const optionalOf = (value: CelType): OpaqueType => ({ kind: 'opaque', name: 'optional_type', params: [value] })

/** An object whose fields are these. */
export function objectOf(name: string, fields: Readonly<Record<string, CelType>>): ObjectType {
  return { kind: 'object', name, field: (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined) }
}

/** An object whose fields are looked at when they are asked for: schemas can hold themselves. */
export function lazyObject(name: string, make: (field: string) => CelType | undefined): ObjectType {
  const known = new Map<string, CelType | undefined>()
  return {
    kind: 'object',
    name,
    field: (field) => {
      if (!known.has(field)) known.set(field, make(field))
      return known.get(field)
    },
  }
}

export const isDyn = ({ kind }: CelType): boolean => kind === 'dyn' || kind === 'any'
export const isDynOrError = (type: CelType): boolean => isDyn(type) || type.kind === 'error'

/** What is inside of an optional type; undefined where it is none. */
export const inOptional = (type: CelType): CelType | undefined =>
  type.kind === 'opaque' && type.name === 'optional_type' ? type.params[0] : undefined

export function paramsOf(type: CelType): readonly CelType[] {
  switch (type.kind) {
    case 'list':
      return [type.of]
    case 'map':
      return [type.key, type.value]
    case 'opaque':
      return type.params
    case 'type':
      return type.of === undefined ? [] : [type.of]
    default:
      return []
  }
}

/** Types inside of types: what is deeper in an expression is not followed, since each map can double it. */
const maxDepth = 10
const depths = new WeakMap<CelType, number>()

function depthOf(type: CelType): number {
  const known = depths.get(type)
  if (known !== undefined) return known
  const depth = 1 + Math.max(0, ...paramsOf(type).map(depthOf))
  depths.set(type, depth)
  return depth
}

/** The type, or nothing known if it is deeper than anybody writes. */
export const bounded = (type: CelType): CelType => (depthOf(type) > maxDepth ? dynType : type)

export function withParams(type: CelType, params: readonly CelType[]): CelType {
  const [first = dynType, second = dynType] = params
  switch (type.kind) {
    case 'list':
      return listOf(first)
    case 'map':
      return mapOf(first, second)
    case 'opaque':
      return { ...type, params }
    case 'type':
      return type.of === undefined ? type : { kind: 'type', of: first }
    default:
      return type
  }
}

export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) return false
  const [left, right] = [paramsOf(a), paramsOf(b)]
  return left.length === right.length && left.every((param, i) => isSameType(param, right[i] as CelType))
}

export const nameOf = (type: CelType): string => ('name' in type ? type.name : type.kind)

const withNames = (type: CelType, name: string, format: (type: CelType) => string): string => {
  const params = paramsOf(type)
  return params.length === 0 ? name : `${name}(${params.map(format).join(', ')})`
}

/** As faults of expressions write it. */
export const formatType = (type: CelType): string =>
  withNames(type, type.kind === 'error' ? '!error!' : nameOf(type), formatType)

const longNames: Readonly<Record<string, string>> = {
  null: 'null_type',
  duration: 'google.protobuf.Duration',
  timestamp: 'google.protobuf.Timestamp',
  error: '*error*',
}

/** The type's own name, as values tell it. */
export const typeName = (type: CelType): string => withNames(type, longNames[type.kind] ?? nameOf(type), typeName)

const objectNames = /^kubernetes\./

/** Reads `list(string)`, `map(K, V)`, `net.IP`, `A`. */
export function parseType(text: string): CelType {
  const reader = new TypeReader(text)
  return reader.read()
}

class TypeReader {
  readonly #words: readonly string[]
  #at = 0
  constructor(text: string) {
    this.#words = text.match(/[A-Za-z_][\w.]*|[(),]/g) ?? []
  }

  read(): CelType {
    const name = this.#words[this.#at++] ?? ''
    const params: CelType[] = []
    if (this.#words[this.#at] === '(') {
      do {
        this.#at += 1
        params.push(this.read())
      } while (this.#words[this.#at] === ',')
      this.#at += 1
    }
    return typeOf(name, params)
  }
}

function typeOf(name: string, params: readonly CelType[]): CelType {
  const [first = dynType, second = dynType] = params
  if (/^[A-Z]$/.test(name)) return { kind: 'param', name }
  if (name === 'list') return listOf(first)
  if (name === 'map') return mapOf(first, second)
  if (name === 'type') return { kind: 'type', of: params[0] }
  if (Object.hasOwn(scalars, name)) return scalars[name as ScalarKind]
  return objectNames.test(name) ? { kind: 'object', name } : { kind: 'opaque', name, params }
}

export function literalType({ value }: Literal): CelType {
  if (value === null) return scalar('null')
  if (value instanceof CelUint) return scalar('uint')
  if (value instanceof Uint8Array) return scalar('bytes')
  const kinds = { bigint: 'int', number: 'double', string: 'string', boolean: 'bool' } as const
  return scalar(kinds[typeof value as keyof typeof kinds])
}
