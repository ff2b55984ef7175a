// One fault of one field, in the words of k8s.io/apimachinery/pkg/util/validation/field: these texts and causes are
// what kubectl prints. Rules come from field/errors.go.

import type { StatusCause } from '#api'

export type FieldErrorType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueNotSupported'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError'

export interface FieldError {
  readonly type: FieldErrorType
  /** Path as `spec.containers[0].name`; empty for the object as a whole. */
  readonly field: string
  /** Message without the path: `Required value`, `Invalid value: "x": must be …`. */
  readonly message: string
}

/** What Go's quoting has letters for. */
export const goEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}

/** What Go takes for printable: of blanks, the plain one alone. */
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

/** Quoted as Go's %q does. */
export const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&').replace(unprintable, goEscape)}"`

function goEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x80) return goEscapes[char] ?? `\\x${hex.padStart(2, '0')}`
  // Half of a surrogate pair stands for nothing.
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd'
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** JSON as Go's encoder writes it: without spaces, with <, > and & escaped. */
export function goJson(value: unknown): string {
  return JSON.stringify(value ?? null).replace(/[<>&\u2028\u2029]/g, (c) => htmlEscapes[c] ?? c)
}

/** A bad value as Kubernetes prints it: strings quoted as in Go, the rest as JSON. */
export const printValue = (value: unknown): string => (typeof value === 'string' ? quote(value) : goJson(value))

const withDetail = (head: string, detail: string | undefined): string =>
  detail === undefined || detail === '' ? head : `${head}: ${detail}`

export const required = (field: string, detail?: string): FieldError => ({
  type: 'FieldValueRequired',
  field,
  message: withDetail('Required value', detail),
})

export const invalid = (field: string, value: unknown, detail?: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: withDetail(`Invalid value: ${printValue(value)}`, detail),
})

/** For a fault of a value that says nothing to print, as a whole rule. */
export const invalidWhole = (field: string, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${detail}`,
})

export const internal = (field: string, detail: string): FieldError => ({
  type: 'InternalError',
  field,
  message: `Internal error: ${detail}`,
})

export const duplicate = (field: string, value: unknown, detail?: string): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  message: withDetail(`Duplicate value: ${printValue(value)}`, detail),
})

export const forbidden = (field: string, detail?: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  message: withDetail('Forbidden', detail),
})

export const notFound = (field: string, value: unknown, detail?: string): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  message: withDetail(`Not found: ${printValue(value)}`, detail),
})

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  message: withDetail(
    `Unsupported value: ${printValue(value)}`,
    supported.length === 0 ? undefined : `supported values: ${supported.map(quote).join(', ')}`,
  ),
})

export const tooLong = (field: string, maxLength: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${maxLength} bytes`,
})

export const tooMany = (field: string, count: number, max: number): FieldError => ({
  type: 'FieldValueTooMany',
  field,
  message: `Too many: ${count}: must have at most ${max} ${max === 1 ? 'item' : 'items'}`,
})

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${printValue(value)}: ${detail}`,
})

/** Registries of some kinds check an update twice: as a new object, and as a change of the old one. */
export const twice = (errors: readonly FieldError[]): readonly FieldError[] =>
  errors.length === 0 ? errors : [...errors, ...errors]

export const toCause = (error: FieldError): StatusCause => ({
  reason: error.type,
  message: error.message,
  field: error.field,
})
