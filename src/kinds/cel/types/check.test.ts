import { expect, it } from 'vitest'
import { compileCel } from '../compile.ts'
import { dynamic, environmentOf } from '../environment.ts'

const of = (name: string, types: string): string => `found no matching overload for '${name}' applied to '${types}'`

it.each<[string, number, string]>([
  ['foo', 1, "undeclared reference to 'foo' (in container '')"],
  ['foo(1)', 4, "undeclared reference to 'foo' (in container '')"],
  ['1 + "a"', 3, of('_+_', '(int, string)')],
  ['[1] == {"a": 1}', 5, of('_==_', '(list(int), map(string, int))')],
  ['!1', 1, of('!_', '(int)')],
  ['size(1)', 5, of('size', '(int)')],
  ['"a".startsWith(1)', 15, of('startsWith', 'string.(int)')],
])('tells what is wrong with %s', (expression, column, text) => {
  const compiled = compileCel(expression, environmentOf(dynamic('object')))
  expect(compiled.ok ? undefined : compiled.faults).toBe(
    `ERROR: <input>:1:${column}: ${text}\n | ${expression}\n | ${'.'.repeat(column - 1)}^`,
  )
})
