import { describe, expect, it } from 'vitest'
import type { Json } from '#objects'
import { judgeByRules } from './rules.ts'

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
  judgeByRules(value, old, schema).faults.map(({ field, message }) => `${field}: ${message}`)

describe('judgeByRules', () => {
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

  it('lets stand what was wrong before, and says so', () => {
    const wrong = { min: 5, max: 3 }
    expect(judgeByRules(wrong, { ...wrong }, schema)).toEqual({
      faults: [],
      warnings: [': Invalid value: "object": min must not exceed max'],
    })
  })

  it('asks transition rules even where nothing changed', () => {
    const grows = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > oldSelf', message: 'must grow' }] }
    const counted = { type: 'object', properties: { count: grows } }
    expect(judgeByRules({ count: 1 }, { count: 1 }, counted).faults).toHaveLength(1)
    expect(judgeByRules({ count: 1 }, undefined, counted).faults).toEqual([])
  })

  it('asks them of new objects, too, if oldSelf is optional', () => {
    const rule = { rule: "oldSelf.hasValue() || self == 'new'", optionalOldSelf: true, message: 'begins as new' }
    const phased = { type: 'object', properties: { phase: { type: 'string', 'x-kubernetes-validations': [rule] } } }
    expect(judgeByRules({ phase: 'done' }, undefined, phased).faults).toHaveLength(1)
    expect(judgeByRules({ phase: 'done' }, { phase: 'new' }, phased).faults).toEqual([])
  })

  describe('by rules that cost too much', () => {
    const costly = (rule: string) => ({
      type: 'object',
      'x-kubernetes-validations': [{ rule }, { rule: 'false', message: 'is asked no more' }],
      properties: { list: { type: 'array', items: { type: 'integer' } } },
    })
    const list = Array.from({ length: 1000 }, (_, i) => i)

    it('ends with the rule that has cost more than any may', () => {
      const rule = 'self.list.all(x, self.list.all(y, self.list.all(z, z >= 0)))'
      expect(judgeByRules({ list }, undefined, costly(rule)).faults.map(({ message }) => message)).toEqual([
        `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
      ])
    })

    it('ends with the rule after which the object has cost more than any may', () => {
      const element = {
        type: 'array',
        items: { type: 'integer' },
        'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, y < 1000))' }],
      }
      const schema = { type: 'object', properties: { lists: { type: 'array', items: element } } }
      const lists = Array.from({ length: 100 }, () => list.slice(0, 300))
      expect(
        judgeByRules({ lists }, undefined, schema).faults.map(({ field, message }) => `${field}: ${message}`),
      ).toEqual([
        'lists[22]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
      ])
    })
  })

  it('sees times, durations and bytes by their formats', () => {
    const text = (format: string, rule: string) => ({
      type: 'string',
      format,
      'x-kubernetes-validations': [{ rule }],
    })
    const properties = {
      at: text('date-time', "self > timestamp('2020-01-01T00:00:00Z')"),
      wait: text('duration', "self < duration('1h')"),
      data: text('byte', "self == b'hi'"),
    }
    const value = { at: '2024-01-01T00:00:00Z', wait: '5m', data: 'aGk=' }
    expect(judgeByRules(value, undefined, { type: 'object', properties }).faults).toEqual([])
    expect(judgeByRules({ ...value, wait: '2h' }, undefined, { type: 'object', properties }).faults).toHaveLength(1)
  })
})
