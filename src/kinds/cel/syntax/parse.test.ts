// What is wrong with the text of an expression: all of it, at the places and in the words of cel-go.

import { describe, expect, it } from 'vitest'
import { tellFaults } from './fault.ts'
import { parseCel } from './parse.ts'

/** Place and text of each fault; the lines that show it are left out. */
function faultsOf(expression: string): readonly string[] {
  const parsed = parseCel(expression)
  if (parsed.ok) return []
  return tellFaults(expression, parsed.faults)
    .split('\n')
    .flatMap((line) => (line.startsWith('ERROR: <input>:') ? [line.slice('ERROR: <input>:'.length)] : []))
}

const operand =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

describe('parseCel', () => {
  it.each([
    'a.b[0].c(1, 2) ? [1, 2,] : {"k": v,}',
    '-1 - -x && !y || z in [1u, 0x1F, 1.5e3, b"x", r"\\d"]',
    'has(a.b) && a.?b.orValue("x") == a[?0].value()',
    "'''several\nlines''' + \"\\u00e9\\n\" // and a comment",
    'x.y{a: 1}',
  ])('reads %j', (expression) => {
    expect(faultsOf(expression)).toEqual([])
  })

  it.each<[string, readonly string[]]>([
    ['object.x >', [`1:11: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
    ['', [`1:1: Syntax error: mismatched input '<EOF>' expecting ${operand}`]],
    ['a b', ["1:3: Syntax error: extraneous input 'b' expecting <EOF>"]],
    ['a.true', ["1:3: Syntax error: mismatched input 'true' expecting IDENTIFIER"]],
    [
      'a.b(',
      [
        `1:5: Syntax error: mismatched input '<EOF>' expecting {${operand.slice(1, -1).replace("'.', ", "')', '.', ")}}`,
      ],
    ],
    ['(a', ["1:3: Syntax error: missing ')' at '<EOF>'"]],
    [
      '"abc',
      [
        "1:1: Syntax error: token recognition error at: '\"abc'",
        `1:5: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
      ],
    ],
    [
      'a & b',
      [
        "1:3: Syntax error: token recognition error at: '& '",
        "1:5: Syntax error: extraneous input 'b' expecting <EOF>",
      ],
    ],
    [
      'a = 1',
      [
        "1:3: Syntax error: token recognition error at: '= '",
        "1:5: Syntax error: extraneous input '1' expecting <EOF>",
      ],
    ],
    // Several, in the order of their places.
    [
      '[1,, 2] + [3,,]',
      [
        "1:4: Syntax error: mismatched input ',' expecting ']'",
        "1:14: Syntax error: extraneous input ',' expecting ']'",
      ],
    ],
    [
      'a.\nb == # && c == #',
      [
        "2:6: Syntax error: token recognition error at: '#'",
        `2:8: Syntax error: extraneous input '&&' expecting ${operand}`,
        "2:16: Syntax error: token recognition error at: '#'",
        `2:17: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
      ],
    ],
    // What the grammar allows, and the language does not.
    ['if == 1 && for(2)', ['1:1: reserved identifier: if', '1:12: reserved identifier: for']],
    ['9223372036854775808 + 18446744073709551616u', ['1:1: invalid int literal', '1:23: invalid uint literal']],
    ['has(a) || a.all(1, true)', ['1:5: invalid argument to has() macro', '1:17: argument must be a simple name']],
    ['a.map(b.c, 1)', ['1:8: argument is not an identifier']],
    ['a.`b`', ["1:3: unsupported syntax: '`'"]],
  ])('tells all that is wrong with %j', (expression, faults) => {
    expect(faultsOf(expression)).toEqual(faults)
  })

  it('points at letters, wide or not', () => {
    const expression = "'ü' == \tx +"
    const parsed = parseCel(expression)
    expect(parsed.ok ? '' : tellFaults(expression, parsed.faults).split('\n').slice(1)).toEqual([
      " | 'ü' ==  x +",
      ' | .．.........^',
    ])
  })

  it('ends, whatever is given', () => {
    const long = (text: string, times: number): string => text.repeat(times)
    expect(faultsOf(`${long('(', 300)}a${long(')', 300)}`)).toEqual(['-1:0: expression recursion limit exceeded: 250'])
    expect(faultsOf(`1${long(' + 1', 300)}`)).toEqual(['-1:0: max recursion depth exceeded'])
    expect(faultsOf(`a${long(' && a', 2000)}`)).toEqual([])
    expect(faultsOf(long('a ', 600)).at(-1)).toContain('expecting <EOF>')
    expect(faultsOf(long('# ', 500)).length).toBe(100)
    expect(faultsOf(long('x', 100_001))).toEqual([
      '-1:0: expression code point size exceeds limit: size: 100001, limit 100000',
    ])
    const before = performance.now()
    faultsOf(long('[(', 20_000))
    faultsOf(long('"', 50_000))
    faultsOf(long('1', 90_000))
    expect(performance.now() - before).toBeLessThan(3000)
  })
})
