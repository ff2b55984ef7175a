// A resolved schema: one shape for built-in kinds (from facts/) and custom resources (from their CRD). References are
// followed lazily by getters, so recursive types are finite values. Everything that needs to know what a field means
// (decoding, defaults, patches, managed fields, OpenAPI) reads this one type.

import type { Json } from './object.ts'

export type SchemaType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'any'

export interface Schema {
  /** `any` takes every JSON value (RawExtension, JSON, x-kubernetes-preserve-unknown-fields without a type). */
  readonly type: SchemaType
  /** Name of the built-in type, as `io.k8s.api.core.v1.Container`; absent for inline and custom schemas. */
  readonly id?: string
  readonly properties?: ReadonlyMap<string, Schema>
  /** Schema of the values of a map (`additionalProperties`). */
  readonly values?: Schema
  /** Schema of the elements of a list. */
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly default?: Json
  readonly enum?: readonly Json[]
  readonly format?: string
  readonly nullable?: boolean
  readonly listType?: 'atomic' | 'set' | 'map'
  readonly listMapKeys?: readonly string[]
  readonly mapType?: 'atomic' | 'granular'
  readonly patchStrategy?: string
  readonly patchMergeKey?: string
  readonly intOrString?: boolean
  readonly preserveUnknownFields?: boolean
  readonly embeddedResource?: boolean
  /** Of a value of several shapes: what it is when it is a map. */
  readonly whenObject?: Schema
  /**
   * Built-in types only: the Go type as decoding errors name it (`int32`, `v1.PodSpec`, `[]v1.Container`). Where it is set,
   * values are stored as a Go server writes them back (zero values of optional fields vanish, quantities are canonical).
   */
  readonly goType?: string
  /** Built-in types only: what a stored object holds where the field is absent or null (`{}`, `""`, `null`); else nothing. */
  readonly absent?: Json
  /** Built-in scalars only: a pointer in Go, so that a zero value that was given is kept. */
  readonly pointer?: boolean
  /** Further value checks of a custom resource (pattern, minimum, anyOf, x-kubernetes-validations …), as written. */
  readonly checks?: { readonly [keyword: string]: Json }
}
