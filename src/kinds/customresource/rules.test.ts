import { describe, expect, it } from 'vitest'
import type { Json } from '#objects'
import { validateRules } from './rules.ts'

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'id is immutable' }] },
    min: { type: 'integer' },
    max: { type: 'integer' },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, size: { type: 'integer' } },
        'x-kubernetes-validations': [{ rule: 'self.size >= oldSelf.size', message: 'may only grow' }],
      },
    },
  },
  'x-kubernetes-validations': [
    { rule: '!has(self.min) || !has(self.max) || self.min <= self.max', message: 'min must not exceed max' },
    {
      rule: '!has(self.max) || self.max < 100',
      messageExpression: "'max must be below ' + string(100)",
      reason: 'FieldValueForbidden',
      fieldPath: '.max',
    },
  ],
}

const faults = (value: Json, old?: Json): readonly string[] =>
  validateRules(value, old, schema).map(({ field, message }) => `${field}: ${message}`)

describe('validateRules', () => {
  it('judges a new object by its rules', () => {
    expect(faults({ id: 'a', min: 1, max: 2 })).toEqual([])
    expect(faults({ min: 5, max: 3 })).toEqual([': Invalid value: "object": min must not exceed max'])
    expect(faults({ max: 100 })).toEqual(['max: Forbidden: max must be below 100'])
  })

  it('judges changes by what was before, element by element', () => {
    expect(faults({ id: 'b' }, { id: 'a' })).toEqual(['id: Invalid value: "string": id is immutable'])
    const list = (a: number, b: number): Json => ({
      items: [
        { name: 'b', size: b },
        { name: 'a', size: a },
      ],
    })
    expect(faults(list(2, 2), list(1, 2))).toEqual([])
    expect(faults(list(1, 1), list(1, 2))).toEqual(['items[0]: Invalid value: "object": may only grow'])
  })

  it('lets stand what was wrong before', () => {
    expect(faults({ min: 5, max: 3 }, { min: 5, max: 3 })).toEqual([])
  })
})
