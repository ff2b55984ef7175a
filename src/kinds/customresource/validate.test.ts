import { describe, expect, it } from 'vitest'
import type { Json } from '#objects'
import { validateListTypes } from './list-types.ts'
import { validateBySchema } from './validate.ts'

const schema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 10, multipleOf: 2 },
    name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
    color: { type: 'string', enum: ['red', 'blue'] },
    when: { type: 'string', format: 'date-time' },
    list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
    map: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1 },
    port: { 'x-kubernetes-int-or-string': true },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    named: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' } } },
    },
    either: { anyOf: [{ minimum: 5 }, { maximum: 2 }], type: 'integer' },
    gone: { type: 'string', nullable: true },
  },
}

const faults = (value: Json, old?: Json): readonly string[] =>
  [...validateBySchema(value, schema, old), ...validateListTypes(value, schema)].map(
    ({ field, message }) => `${field}: ${message}`,
  )

describe('validateBySchema', () => {
  it('finds nothing wrong with what fits', () => {
    expect(faults({ size: 2, name: 'ab', port: '5%', list: ['x'], map: { a: 1 }, either: 1, gone: null })).toEqual([])
  })

  const cases: readonly [value: { readonly [key: string]: Json }, fault: string][] = [
    [{ size: 12 }, 'size: Invalid value: 12: size in body should be less than or equal to 10'],
    [{ size: 3 }, 'size: Invalid value: 3: size in body should be a multiple of 2'],
    [{ size: 'x' }, 'size: Invalid value: "string": size in body must be of type integer: "string"'],
    [{ name: 'a' }, 'name: Invalid value: "a": name in body should be at least 2 chars long'],
    [{ name: 'abcde' }, 'name: Too long: may not be more than 4 bytes'],
    [{ name: 'AB' }, 'name: Invalid value: "AB": name in body should match \'^[a-z]+$\''],
    [{ color: 'green' }, 'color: Unsupported value: "green": supported values: "red", "blue"'],
    [{ when: 'never' }, 'when: Invalid value: "never": when in body must be of type date-time: "never"'],
    [{ list: [] }, 'list: Invalid value: 0: list in body should have at least 1 items'],
    [{ list: ['a', 'b', 'c'] }, 'list: Too many: 3: must have at most 2 items'],
    [{ list: [1] }, 'list[0]: Invalid value: "integer": list[0] in body must be of type string: "integer"'],
    [{ map: { a: 1, b: 2 } }, 'map: Too many: 2: must have at most 1 item'],
    [{ port: true }, 'port: Invalid value: "boolean": port in body must be of type integer,string: "boolean"'],
    [{ set: ['a', 'a'] }, 'set[1]: Duplicate value: "a"'],
    [{ named: [{ name: 'a' }, { name: 'a' }] }, 'named[1]: Duplicate value: {"name":"a"}'],
    [{ either: 3 }, 'either: Invalid value: "": "either" must validate at least one schema (anyOf)'],
  ]
  it.each(cases)('%j', (value, fault) => {
    expect(faults({ size: 2, ...value })).toEqual([fault])
  })

  it('asks for what is required', () => {
    expect(faults({})).toEqual(['size: Required value'])
  })

  it('lets stand what was wrong before, field by field and element by element', () => {
    const named = (...sizes: readonly number[]): Json => ({
      size: 3,
      list: [1],
      named: sizes.map((n) => ({ name: n })),
    })
    expect(faults(named(1), named(1))).toEqual([])
    // The list is no keyed one: its elements have no past once it changes.
    expect(faults({ size: 3, list: [1, 2] }, { size: 3, list: [1] })).toEqual([
      'list[0]: Invalid value: "integer": list[0] in body must be of type string: "integer"',
      'list[1]: Invalid value: "integer": list[1] in body must be of type string: "integer"',
    ])
    const keyed = (...names: readonly Json[]): Json => ({ size: 2, named: names.map((name) => ({ name })) })
    expect(faults(keyed(1, 'a'), keyed(1))).toEqual([])
    expect(faults(keyed(2), keyed(1))).toHaveLength(1)
  })
})
