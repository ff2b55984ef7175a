import { describe, expect, test } from 'vitest'
import { documentsOf, type Program, type Variable } from './index.ts'

interface Given {
  readonly files?: Readonly<Record<string, string>>
  readonly extVars?: readonly Variable[]
  readonly tlas?: readonly Variable[]
}

function run(text: string, { files = {}, extVars = [], tlas = [] }: Given = {}): unknown {
  const texts = Object.entries({ ...files, 'main.jsonnet': text })
  const program: Program = {
    main: 'main.jsonnet',
    files: new Map(texts.map(([path, each]) => [path, Buffer.from(each)])),
    target: (_from, path) => (path in files ? { path } : { problem: `couldn't open import ${JSON.stringify(path)}` }),
    extVars,
    tlas,
  }
  const readers = { yaml: () => ({ documents: [], isStream: false }) }
  return documentsOf(program, { readers, limits: { steps: 1_000_000 } }).map((each) => JSON.parse(each))
}

/** The value of an expression. */
const evaluated = (text: string, given?: Given): unknown => (run(`{ v: ${text} }`, given) as { v: unknown }[])[0]?.v

test.each<[text: string, value: unknown]>([
  ['1 + 2 * 3 - 4 / 2', 5],
  ['7 % 4', 3],
  ['-2 - -3', 1],
  ['1 << 3 | 1', 9],
  ['5 & 3 ^ 1', 0],
  ['~5', -6],
  ['1_000_000', 1000000],
  ['1 < 2 && "a" < "b" && [1, 2] < [1, 3]', true],
  ['true || error "not needed"', true],
  ['"a" + 1 + true + null', 'a1truenull'],
  ['"x: " + { b: [1, 2.5], a: {} }', 'x: {"a": { }, "b": [1, 2.5]}'],
  ['"%s is %05.1f %% of %-4d|" % ["x", 2.25, 7]', 'x is 002.3 % of 7   |'],
  ['"%(a)s-%(b)03d" % { a: "x", b: 5 }', 'x-005'],
  ['@\'a\\n\' + "\\u00e9\\n"', 'a\\né\n'],
  ['|||\n  one\n   two\n\n  three\n|||', 'one\n two\n\nthree\n'],
  ['|||-\n  one\n|||', 'one'],
  ['[1, 2, 3][1]', 2],
  ['[1, 2, 3, 4][1:3] + "abc"[::2]', '[2, 3]ac'],
  ['[1, 2, 3][-2:]', [2, 3]],
  ['"a😀b"[1] + std.length("a😀b")', '😀3'],
  ['if 1 == 2 then 3', null],
  ['local a = b + 1, b = 2; a', 3],
  ['local f(x, y=x * 2) = x + y; [f(1), f(1, 1), f(y=3, x=1)]', [3, 2, 4]],
  ['(function(x) function(y) x - y)(5)(2)', 3],
  ['[x * y for x in [1, 2, 3] if x != 2 for y in [10, 100]]', [10, 100, 30, 300]],
  ['{ [k]: k + "!" for k in ["a", "b"] }', { a: 'a!', b: 'b!' }],
  ['{ [if true then "a"]: 1, [if false then "b"]: 2 }', { a: 1 }],
  ['std.length([error "never", error "needed"])', 2],
  ['local loop(n, sum) = if n == 0 then sum else loop(n - 1, sum + n) tailstrict; loop(100000, 0)', 5000050000],
  ['assert 1 < 2 : "no"; 3', 3],
])('%s', (text, value) => {
  expect(evaluated(text)).toEqual(value)
})

describe('objects', () => {
  test.each<[text: string, value: unknown]>([
    ['{ a: 1, b: self.a + 1 } + { a: 5 }', { a: 5, b: 6 }],
    ['{ a: 1 } { a: super.a + 1 } { a: super.a + 1 }', { a: 3 }],
    ['{ a: [1], b+: [2] } + { a+: [2] }', { a: [1, 2], b: [2] }],
    ['{ a:: 1, b: self.a }', { b: 1 }],
    ['{ a:: 1 } + { a: 2 }', {}],
    ['{ a:: 1 } + { a::: 2 }', { a: 2 }],
    ['{ local x = self.a, a: 1, b: { c: $.v.a + x } }', { a: 1, b: { c: 2 } }],
    ['{ a: 1, b: "a" in self, c: "z" in self } + { d: "z" in super }', { a: 1, b: true, c: false, d: false }],
    ['{ f(x):: x + self.n, n: 1, v: self.f(2) }', { n: 1, v: 3 }],
    ['std.objectRemoveKey({ a: 1 } + { b: super.a }, "a")', { b: 1 }],
    ['local o = { a: 1, assert self.a > 0 : "below" }; o + { a: 2 }', { a: 2 }],
  ])('%s', (text, value) => {
    expect(evaluated(text)).toEqual(value)
  })

  test('an assert is asked before anything is seen of an object', () => {
    expect(() => evaluated('({ a: 1, b: 2, assert self.a > 1 : "a is " + self.a }).b')).toThrow('a is 1')
  })

  test('a field is worked out once for all who look', () => {
    const text =
      'local o = { a: std.foldl(function(n, x) n + x, std.range(1, 1000), 0) }; [o.a for i in std.range(1, 900)][899]'
    expect(evaluated(text)).toBe(500500)
  })
})

describe('files', () => {
  const files = {
    'lib.libsonnet': '{ name: std.thisFile, twice(x):: x * 2 }',
    'text.txt': 'é\n',
    'broken.libsonnet': '{ a: 1,\n  b: }',
  }
  test.each<[text: string, value: unknown]>([
    ['(import "lib.libsonnet").twice(4)', 8],
    ['import "lib.libsonnet"', { name: 'lib.libsonnet' }],
    ['importstr "text.txt"', 'é\n'],
    ['importbin "text.txt"', [0xc3, 0xa9, 10]],
    ['{ a: 1, b:: import "broken.libsonnet", c:: import "absent" }', { a: 1 }],
  ])('%s', (text, value) => {
    expect(evaluated(text, { files })).toEqual(value)
  })

  test.each([
    ['import "broken.libsonnet"', 'Unexpected: "}" while parsing terminal'],
    ['import "absent"', 'couldn\'t open import "absent"'],
    ['import "a" + "b"', 'Computed imports are not allowed'],
  ])('%s', (text, message) => {
    expect(() => evaluated(text, { files })).toThrow(message)
  })
})

describe('what a program gives', () => {
  test.each<[text: string, documents: unknown]>([
    ['{ a: 1 }', [{ a: 1 }]],
    ['[{ a: 1 }, null, { b: 2 }]', [{ a: 1 }, { b: 2 }]],
    ['null', []],
    ['{ "__proto__": 1 }', [JSON.parse('{ "__proto__": 1 }')]],
    ['function(name="x", n=1) { [name]: n }', [{ x: 1 }]],
  ])('%s', (text, documents) => {
    expect(run(text)).toEqual(documents)
  })

  test('a function is called with the arguments of the Application', () => {
    const tlas = [
      { name: 'name', value: '1 + 1', isCode: false },
      { name: 'n', value: '1 + 1', isCode: true },
    ]
    expect(run('function(name, n=1) { [name]: n }', { tlas })).toEqual([{ '1 + 1': 2 }])
    expect(() => run('function(name) { [name]: 1 }', { tlas })).toThrow('function has no parameter n')
    expect(() => run('function(name) {}')).toThrow('Missing argument: name')
  })

  test('external variables are texts or code', () => {
    const extVars = [
      { name: 'a', value: '1 + 1', isCode: false },
      { name: 'b', value: '{ x: std.extVar("a") }', isCode: true },
    ]
    expect(run('[std.extVar("a"), std.extVar("b")]', { extVars })).toEqual(['1 + 1', { x: '1 + 1' }])
    expect(() => run('std.extVar("c")')).toThrow('Undefined external variable: c')
  })
})
