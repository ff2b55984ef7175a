import { expect, it } from 'vitest'
import type { CustomResourceDefinition, JSONSchemaProps } from '../generated/types.ts'
import { formatWarnings } from './format-warnings.ts'

const definition = (properties: Record<string, JSONSchemaProps>): CustomResourceDefinition =>
  ({
    spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties } } }] },
  }) as unknown as CustomResourceDefinition
const number = { type: 'integer', format: 'int64' }

it('warns once of a format that nothing checks, wherever it stands', () => {
  const made = definition({
    at: { type: 'string', format: 'date-time' },
    count: number,
    list: { type: 'array', items: { additionalProperties: { anyOf: [number] } } },
    // A property may be called as a keyword is.
    format: { type: 'string' },
  } as unknown as Record<string, JSONSchemaProps>)
  expect(formatWarnings(made, undefined)).toEqual(['unrecognized format "int64"'])
  expect(formatWarnings(made, made)).toEqual([])
})
