import { describe, expect, it } from 'vitest'
import { compileCel } from './compile.ts'
import { dynamic, environmentOf } from './environment.ts'
import { escapeField, toCel } from './values.ts'

const environment = environmentOf(dynamic('self'))

function evaluate(expression: string, self: unknown): unknown {
  const compiled = compileCel(expression, environment)
  if (!compiled.ok) return compiled.faults
  try {
    return compiled.program.evaluate({ self })
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}

describe('compileCel', () => {
  const cases: readonly [expression: string, self: unknown, result: unknown][] = [
    ['!has(self.min) || self.min <= self.max', { min: 1, max: 3 }, true],
    ['self.replicas + 1 == 3', { replicas: 2 }, true],
    ["self.tags.all(t, t.startsWith('t'))", { tags: ['x'] }, false],
    ['self.numbers.sum() == 6 && self.numbers.max() == 3', { numbers: [1, 2, 3] }, true],
    ['self.list.isSorted()', { list: ['a', 'c', 'b'] }, false],
    ["quantity(self.cpu).isLessThan(quantity('1'))", { cpu: '500m' }, true],
    ["cidr('10.0.0.0/8').containsIP(self.ip)", { ip: '10.1.2.3' }, true],
    ["self.text.find('[0-9]+')", { text: 'abc 123' }, '123'],
    ["url(self.url).getHost() == 'example.com:80'", { url: 'http://example.com:8080/' }, false],
    ['self.missing == 1', {}, 'error: no such key: missing'],
    ["'key' in self.map && size(self.map) == 1", { map: { key: 1 } }, true],
    ['self.__dash__x == 1', { '-x': 1 }, true],
  ]
  it.each(cases)('%s', (expression, self, result) => {
    expect(evaluate(expression, toCel(self as never))).toEqual(result)
  })

  it('knows what type an expression has', () => {
    const compiled = compileCel("'str'", environment)
    expect(compiled.ok && compiled.program.type).toEqual({ kind: 'string' })
  })

  it('tells where an expression is wrong', () => {
    const compiled = compileCel('self.x >', environment)
    expect(compiled.ok ? '' : compiled.faults).toBe(
      "ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.x >\n | ........^",
    )
  })
})

it('escapes names that CEL cannot say', () => {
  expect(['plain', 'namespace', 'a-b', 'a.b', 'a__b'].map(escapeField)).toEqual([
    'plain',
    '__namespace__',
    'a__dash__b',
    'a__dot__b',
    'a__underscores__b',
  ])
})
