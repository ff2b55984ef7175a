// Costs of rules, as a real API server estimates them.

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#objects'
import { compileCel, dynamic, environmentOf } from '../cel/index.ts'
import { CostBudget } from './cost-budget.ts'
import { ruleCost } from './rule-cost.ts'

function costOf(schema: JsonObject, rule: string): number {
  const compiled = compileCel(rule, environmentOf(dynamic('self', 'oldSelf')))
  if (!compiled.ok) throw new Error(compiled.faults)
  return ruleCost(compiled.program.tree, new Map([['self', schema]]))
}

const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const map = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties })
const [number, text] = [{ type: 'number' }, { type: 'string' }]

describe('ruleCost', () => {
  it.each<[JsonObject, string, number]>([
    [list(number), 'self.all(x, true)', 4718591],
    [list(number, { maxItems: 10 }), 'self.all(x, true)', 32],
    [list(text), 'self.all(x, true)', 3145727],
    [list({ type: 'boolean' }), 'self.all(x, true)', 1887437],
    [map(number), 'self.all(x, true)', 1348169],
    [map(text), 'has(self.x)', 0],
    [map({ type: 'string', format: 'duration' }), 'self.all(x, true)', 1048577],
    [text, "self.contains('test')", 314574],
    [text, "self.startsWith('test')", 2],
    [text, 'size(self + "hello") > size("hello")', 314578],
    [{ ...text, maxLength: 4 }, 'size(self + "hello") > size("hello")', 7],
    [list(number), 'self[1] == 0.0', 2],
    [list(text), 'self[1] == self[1]', 314577],
    [list(number, { maxItems: 10 }), 'self.all(x, self.all(y, true))', 352],
    [list(number, { maxItems: 10 }), 'self.all(x, self.all(y, self.all(z, true)))', 3552],
    [text, 'self.matches("x")', 314574],
    [text, '"".matches("(((((((((())))))))))[0-9]")', 7],
    [map(text), 'self.all(x, x.contains(self[x]))', 2752507],
    [list(number), 'self.all(x, x == 0.0)', 6291454],
    [list({ 'x-kubernetes-int-or-string': true }), 'self[0] == 5', 3],
    [list({ type: 'string', format: 'date' }), 'self[2].getDayOfMonth() == 13', 4],
    [map({ type: 'string', format: 'date-time' }), 'self["a"] == self["b"]', 8],
    [text, "self.find('[0-9]+') == ''", 629147],
    [{ ...text, enum: ['A', 'B', 'LongValue'] }, "self.contains('A')", 2],
  ])('%j: %s', (schema, rule, cost) => {
    expect(costOf(schema, rule)).toBe(cost)
  })
})

describe('CostBudget', () => {
  it('tells what is too much, and by how much', () => {
    const budget = new CostBudget()
    const charged = [10_000_000, 25_000_000, 2_005_000_000].flatMap((cost, i) =>
      budget.charge(`${'abc'[i]}.rule`, 'estimated rule cost', cost),
    )
    expect(charged.map(({ field, message }) => `${field} ${message.split(' (')[0]}`)).toEqual([
      'b.rule Forbidden: estimated rule cost exceeds budget by factor of 2.5x',
      'c.rule Forbidden: estimated rule cost exceeds budget by factor of more than 100x',
    ])
    expect(budget.faults('s').map(({ field, message }) => `${field} ${message.split(' (')[0]}`)).toEqual([
      'c.rule Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'b.rule Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      'a.rule Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
      's Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 20.4x',
    ])
  })
})
