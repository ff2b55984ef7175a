import { describe, expect, it } from 'vitest'
import { CelAuthorizer, CelBudget, compileCel, costExceeded, dynamic, environmentOf, withAuthorizer } from './index.ts'

const environment = environmentOf({ ...dynamic('self'), ...withAuthorizer }, { isStored: true })

/** What an expression costs: the smallest budget that it does not spend. */
function costOf(expression: string, values: Readonly<Record<string, unknown>> = {}): number {
  const compiled = compileCel(expression, environment)
  if (!compiled.ok) throw new Error(compiled.faults)
  let [low, high] = [-1, 2_000_000]
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2)
    const budget = new CelBudget(middle)
    compiled.program.evaluate(values, budget)
    if (budget.isSpent) low = middle
    else high = middle
  }
  return high
}

const self = { list: ['a', 'b', 'c'], text: 'x'.repeat(100), number: 1n, inner: { deep: { x: true } } }

describe('an evaluation costs', () => {
  // By cel-go's tracker: names, selections and operators one each; lists 10, maps 30; texts a tenth of their length.
  it.each([
    ['true', 0],
    ['self.number', 2],
    ['self.inner.deep.x', 4],
    ['self.number + 1 == 2', 4],
    ['self.text == self.text', 14],
    ["self.text.startsWith('xxxxxxxxxxxxxxxxxxxx')", 12],
    ["self.text.matches('^x+$')", 2 + 11 * 1],
    ['[1, 2, 3].size() == 3', 12],
    ["{'a': 1}.a == 1", 32],
    ["'b' in self.list", 2 + 3],
    ['false && self.text == self.text', 0],
    ['true ? 1 : self.number', 0],
  ])('%s: %d', (expression, cost) => {
    expect(costOf(expression, { self })).toBe(cost)
  })

  it('more with every element that a loop meets, and no more once it is decided', () => {
    const all = (count: number) => costOf('self.all(x, x > 0)', { self: Array.from({ length: count }, () => 1n) })
    const perElement = all(2) - all(1)
    expect(perElement).toBe(5)
    expect(all(100) - all(1)).toBe(99 * perElement)
    const first = costOf('self.exists(x, x == 1)', { self: [1n, ...Array.from({ length: 500 }, () => 0n)] })
    expect(first).toBeLessThan(20)
    expect(costOf('self.map(x, x)', { self: [1n, 2n] }) - costOf('self.map(x, x)', { self: [1n] })).toBe(13)
  })
})

/** Each level works with what the level around it made. */
function nested(first: string, levels: number, next: (name: string) => string): string {
  const ranges = [first, ...Array.from({ length: levels }, (_, i) => next(`v${i}`))]
  return ranges.reduceRight((body, range, i) => `${range}.map(v${i}, ${body})`, `v${levels}`)
}

const doubled = nested('[[1, 2]]', 40, (name) => `[[${name}, ${name}]]`)

describe('an evaluation ends', () => {
  const many = Array.from({ length: 1000 }, (_, i) => BigInt(i))
  it.each<[string, string?]>([
    ['self.all(x, self.all(y, self.all(z, z >= 0)))'],
    ['self.all(x, self.all(y, self.all(z, z >= 0))) || true'],
    ['!self.exists(x, self.exists(y, self.exists(z, z < 0)))'],
    ['self.all(i, x, self.all(j, y, self.all(k, z, z >= 0)))'],
    ['self.map(x, self.map(y, self.map(z, z))).size() > 0'],
    ['self.map(x, self.filter(y, self.exists_one(z, z == x))).size() > 0'],
    ['self.map(x, self).map(l, l.distinct()).size() > 0'],
    // Values that double with each step.
    ['lists that are compared', `${doubled} == ${doubled}`],
    ['lists that are joined', `${nested('[[1, 2]]', 40, (name) => `[${name} + ${name}]`)} == []`],
    [
      'maps that are written',
      `${nested('[{1: 1}]', 60, (name) => `[{"a": ${name}, "b": ${name}}]`)}.map(m, "%s".format([m])) == []`,
    ],
    ['texts that are replaced', `${nested("['abababab']", 40, (name) => `[${name}.replace('ab', ${name})]`)} == []`],
  ])('when it has cost too much: %s', (label, expression = label) => {
    const compiled = compileCel(expression, environment)
    expect(() => compiled.ok && compiled.program.evaluate({ self: many })).toThrow(costExceeded)
  })

  it('when it asks for access a third time', () => {
    const asked = (times: number): unknown => {
      const check = "authorizer.path('/healthz').check('get').allowed()"
      const compiled = compileCel(Array.from({ length: times }, () => check).join(' && '), environment)
      const authorizer = new CelAuthorizer(() => ({ allowed: true, reason: '' }), {})
      return compiled.ok && compiled.program.evaluate({ authorizer })
    }
    expect(asked(2)).toBe(true)
    expect(() => asked(3)).toThrow(costExceeded)
  })
})
