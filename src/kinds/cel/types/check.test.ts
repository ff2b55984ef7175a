import { expect, it } from 'vitest'
import { compileCel } from '../compile.ts'
import { dynamic, environmentOf } from '../environment.ts'
import { listOf, mapOf, objectOf, scalar, typeName } from './type.ts'

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

const whole = objectOf('Whole', {
  text: scalar('string'),
  count: scalar('int'),
  names: listOf(scalar('string')),
  byName: mapOf(scalar('string'), scalar('int')),
})

it.each<[string, readonly string[]]>([
  [
    'foo + bar',
    ["1:1: undeclared reference to 'foo' (in container '')", "1:7: undeclared reference to 'bar' (in container '')"],
  ],
  ['w.none == w.other', ["1:2: undefined field 'none'", "1:12: undefined field 'other'"]],
  ['w.text + w.count', ["1:8: found no matching overload for '_+_' applied to '(string, int)'"]],
  ['w.text.nothing()', ["1:15: undeclared reference to 'nothing' (in container '')"]],
  [
    'w.count.all(x, true)',
    ["1:2: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
  ],
  ['w.names.all(n, n)', ["1:16: expected type 'bool' but found 'string'"]],
  [
    'w.names.map(n, n + 1).size() > w.text',
    [
      "1:18: found no matching overload for '_+_' applied to '(string, int)'",
      "1:30: found no matching overload for '_>_' applied to '(int, string)'",
    ],
  ],
  ['w.count.size', ["1:8: type 'int' does not support field selection"]],
  ['w.count && w.text', ["1:2: expected type 'bool' but found 'int'", "1:13: expected type 'bool' but found 'string'"]],
  ['[1, "a"]', ["1:5: expected type 'int' but found 'string'"]],
  ['{"a": 1, 2: 3}', ["1:10: expected type 'string' but found 'int'"]],
  ['w.count > 1 ? 1 : "a"', ["1:13: found no matching overload for '_?_:_' applied to '(bool, int, string)'"]],
  ['w.byName["a"].startsWith("b")', ["1:25: found no matching overload for 'startsWith' applied to 'int.(string)'"]],
  ['w.?text.orValue(1)', ["1:16: found no matching overload for 'orValue' applied to 'optional_type(string).(int)'"]],
  ['optional.of(1).optMap(x, x + "a")', ["1:28: found no matching overload for '_+_' applied to '(int, string)'"]],
  ['quantity("1").x', ["1:14: unexpected failed resolution of 'kubernetes.Quantity'"]],
  [
    '[duration("x")].size() + [timestamp("y")].size() > 0',
    ['1:11: invalid duration argument', '1:37: invalid timestamp argument'],
  ],
  ['w.text.matches("[")', ['1:16: invalid matches argument']],
  // What is new in this version cannot be written yet.
  ['w.names.sort() == w.names', ["1:13: undeclared reference to 'sort' (in container '')"]],
  // What is not known before it runs fits everything.
  ['d.anything[d] + d == d.x(1)', ["1:25: undeclared reference to 'x' (in container '')"]],
  ['d.a.b == 1 && d[d].all(x, x > d)', []],
])('tells all that is wrong with %s', (expression, faults) => {
  const compiled = compileCel(expression, environmentOf({ w: whole, ...dynamic('d') }))
  const told = compiled.ok ? [] : compiled.faults.split('\n').filter((line) => line.startsWith('ERROR'))
  expect(told.map((line) => line.replace('ERROR: <input>:', ''))).toEqual(faults)
})

it.each([
  ['w.text', 'string'],
  ['d.x', 'dyn'],
  ['[]', 'list(dyn)'],
  ['[w.count, d]', 'list(dyn)'],
  ['{"a": w.names}', 'map(string, list(string))'],
  ['w.?text', 'optional_type(string)'],
  ['d ? 1 : d.x', 'dyn'],
  ['w.names.filter(n, true)[0]', 'string'],
  ['w.byName.transformList(k, v, v > 1, k)', 'list(string)'],
  ['type(1)', 'type(int)'],
  ['null', 'null_type'],
  ['duration("1s")', 'google.protobuf.Duration'],
])('knows the type of %s: %s', (expression, type) => {
  const compiled = compileCel(expression, environmentOf({ w: whole, ...dynamic('d') }))
  expect(compiled.ok ? typeName(compiled.program.type) : compiled.faults).toBe(type)
})
