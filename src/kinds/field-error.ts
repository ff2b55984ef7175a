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

/** A bad value as Kubernetes prints it: strings quoted as in Go, the rest as JSON. */
export function printValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : value === undefined || value === null ? 'null' : JSON.stringify(value)
}

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

export const duplicate = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field,
  message: `Duplicate value: ${printValue(value)}`,
})

export const forbidden = (field: string, detail?: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  message: withDetail('Forbidden', detail),
})

export const notFound = (field: string, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field,
  message: `Not found: ${printValue(value)}`,
})

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field,
  message: withDetail(
    `Unsupported value: ${printValue(value)}`,
    supported.length === 0 ? undefined : `supported values: ${supported.map((v) => JSON.stringify(v)).join(', ')}`,
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
  message: `Too many: ${count}: must have at most ${max} items`,
})

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field,
  message: `Invalid value: ${printValue(value)}: ${detail}`,
})

export const toCause = (error: FieldError): StatusCause => ({
  reason: error.type,
  message: error.message,
  field: error.field,
})
