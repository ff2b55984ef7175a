import { describe, expect, test } from 'vitest'
import { documentsOf, JsonnetFault, type Program, placeText } from './index.ts'

function faultOf(text: string, files: Readonly<Record<string, string>> = {}, steps = 300_000): JsonnetFault {
  const texts = Object.entries({ ...files, 'm.jsonnet': text })
  const program: Program = {
    main: 'm.jsonnet',
    files: new Map(texts.map(([path, each]) => [path, Buffer.from(each)])),
    target: (_from, path) => ({ path }),
    extVars: [],
    tlas: [],
  }
  const readers = { yaml: () => ({ documents: [], isStream: false }) }
  try {
    documentsOf(program, { readers, limits: { steps } })
  } catch (error) {
    if (error instanceof JsonnetFault) return error
    throw error
  }
  throw new Error('no fault')
}

const frames = (fault: JsonnetFault): readonly string[] =>
  fault.frames.map(({ place, context }) => `${placeText(place)} ${context}`.trim())

describe('a fault says what and where', () => {
  test.each([
    ['{ a: 1,\n  b: 2 c: 3 }', 'Expected a comma before next field', 'm.jsonnet:2:8'],
    ['local a = 1\nbody', 'Expected , or ; but got (IDENTIFIER, "body")', 'm.jsonnet:2:1-5'],
    ['{ a: "x', 'Unterminated String', 'm.jsonnet:1:6'],
    ['{ a: "\\q" }', 'Unknown escape sequence: \\q in string literal.', 'm.jsonnet:1:6-10'],
    ['|||\n  x\n y\n', 'Text block not terminated with |||', 'm.jsonnet:1:1'],
    ['/* x', 'Multi-line comment has no terminating */', 'm.jsonnet:1:1'],
    ['a', 'Unknown variable: a', 'm.jsonnet:1:1'],
    ['function() b', 'Unknown variable: b', 'm.jsonnet:1:12'],
    ['self', "Can't use self outside of an object.", 'm.jsonnet:1:1-5'],
    ['$', 'No top-level object found.', 'm.jsonnet:1:1'],
    ['{ a: 1, a: 2 }', 'Duplicate field: a', 'm.jsonnet:1:9'],
    ['{ ["a"]: 1, ["a" + ""]: 2 }', 'Duplicate field name: "a"', 'm.jsonnet:1:1-28'],
    ['{ a: error "no" }', 'no', 'm.jsonnet:1:6-16'],
    ['{ a: {}.b }', 'Field does not exist: b', 'm.jsonnet:1:6-10'],
    ['[1][1]', 'Index 1 out of bounds, not within [0, 1)', 'm.jsonnet:1:1-7'],
    ['1 + {}', 'Unexpected type object, expected number', 'm.jsonnet:1:1-7'],
    ['1 / 0', 'Division by zero.', 'm.jsonnet:1:1-6'],
    ['if 1 then 2', 'Unexpected type number, expected boolean', 'm.jsonnet:1:4'],
    ['(function(x) x)()', 'Missing argument: x', 'm.jsonnet:1:1-18'],
    ['{ a: super.b }', 'Attempt to use super when there is no super class.', 'm.jsonnet:1:6-13'],
    ['std.native("x")()', 'Unexpected type null, expected function', 'm.jsonnet:1:1-18'],
    [
      'std.base64({})',
      'base64 can only base64 encode strings / arrays of single bytes, got object',
      'm.jsonnet:1:1-15',
    ],
    ['{ a: function() 1 }', "couldn't manifest function as JSON", undefined],
  ])('%s', (text, message, place) => {
    const fault = faultOf(text)
    expect(fault.message).toBe(message)
    expect(frames(fault)[0]?.split(' ')[0]).toBe(place)
  })

  test('and how the evaluation came there, through files', () => {
    const files = {
      'lib.libsonnet': 'local check(x) = if x > 1 then error "too many: " + x else x;\n{ n(x):: check(x) }',
    }
    const fault = faultOf('local lib = import "lib.libsonnet";\n{ replicas: lib.n(2) }', files)
    expect(fault.message).toBe('too many: 2')
    expect(frames(fault)).toEqual([
      'lib.libsonnet:1:32-54 function <check>',
      'lib.libsonnet:2:10-18 function <n>',
      'm.jsonnet:2:13-21 object <replicas>',
    ])
  })
})

describe('a hostile program ends', () => {
  const stack = 'max stack frames exceeded.'
  const steps = 'the evaluation takes more than 0.3 million steps'
  test.each([
    ['local f(n) = f(n + 1) tailstrict; f(0)', steps],
    ['local f(n) = 1 + f(n + 1); f(0)', stack],
    ['local a = b, b = a; a', stack],
    ['{ a: self }', stack],
    ['{ a: self.a }', stack],
    ['(import "m.jsonnet") + 1', stack],
    ['std.foldl(function(a, i) a + a, std.range(1, 60), "x")', steps],
    ['std.foldl(function(a, i) a + a, std.range(1, 60), [1])', steps],
    ['std.range(0, 2000000000)', 'an array of 2000000001 elements is too long'],
    ['std.makeArray(5000000, function(i) i)', 'an array of 5000000 elements is too long'],
    ['std.repeat("x", 1000000000)', 'a text of 1000000000 characters is too long'],
    ['"%1000000000d" % 1', 'a text of 1000000000 characters is too long'],
    ['"%.1000000000f" % 1', 'a text of 1000000000 characters is too long'],
    [
      'std.strReplace(std.repeat("x", 100000), "x", std.repeat("y", 100000))',
      'a text of 10000200000 characters is too long',
    ],
    ['[std.sort(std.range(0, 3000)) for x in std.range(0, 3000)]', steps],
    ['std.parseJson(std.repeat("[", 3000) + std.repeat("]", 3000))', stack],
  ])('%s', (text, message) => {
    expect(faultOf(text).message).toBe(message)
  })

  test.each(['[', '-', '(', '{ a: ', 'function() ', 'local a = 1; ', '!', 'if true then '])('nested by %s', (text) => {
    expect(faultOf(`${text.repeat(50_000)}1`).message).toMatch(/max stack frames exceeded|maximum nesting/)
  })

  test('a program may be wide', () => {
    const sum = `${'1 + '.repeat(3000)}1`
    expect(faultOf(`error "" + (${sum})`).message).toBe('3001')
  })
})
