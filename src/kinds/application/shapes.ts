// Short words for the parts of a structural schema.

import type { JsonObject } from '#objects'

type Properties = { readonly [name: string]: JsonObject }

export const text = (description?: string): JsonObject => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
})
export const flag: JsonObject = { type: 'boolean' }
export const whole: JsonObject = { type: 'integer', format: 'int64' }
export const time: JsonObject = { type: 'string', format: 'date-time' }
export const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
export const list = (items: JsonObject): JsonObject => ({ type: 'array', items })
export const texts = list(text())
export const textMap: JsonObject = { type: 'object', additionalProperties: text() }

export const object = (properties: Properties, required: readonly string[] = [], description?: string): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  ...(description === undefined ? {} : { description }),
})
