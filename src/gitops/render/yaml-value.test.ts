import { describe, expect, test } from 'vitest'
import { parseYamlDocument, YamlFault } from './yaml-value.ts'

const resolvePlain = (text: string): unknown => (parseYamlDocument(`k: ${text}\n`) as { readonly k: unknown }).k

test('a quoted scalar goes on in a line indented as its key, and lines after it are counted right', () => {
  expect(parseYamlDocument('a:\n  b: "one\n  two"\n')).toEqual({ a: { b: 'one two' } })
  expect(() => parseYamlDocument('a:\n  b: "one\n  two"\n  c: [\n')).toThrow(YamlFault)
})

describe('plain scalars mean what kubectl takes them for', () => {
  test.each([
    ['y', true],
    ['on', true],
    ['NO', false],
    ['Off', false],
    ['yEs', 'yEs'],
    ['010', 8],
    ['0o17', 15],
    ['0777', 511],
    ['089', 89],
    ['0', 0],
    ['-0', 0],
    ['1e3', 1000],
    ['1_000', 1000],
    ['1.14819072e+12', 1148190720000],
    ['0x1F', 31],
    ['0b11', 3],
    ['-0b11', -3],
    ['+1', 1],
    ['1.', 1],
    ['.5', 0.5],
    ['1.10', 1.1],
    ['-12', -12],
    ['.', '.'],
    ['+', '+'],
    ['1.2.3', '1.2.3'],
    ['12:30', '12:30'],
    ['190:20:30', '190:20:30'],
    ['2001-01-01', '2001-01-01'],
    ['2019-03-20T17:54:53Z', '2019-03-20T17:54:53Z'],
    ['2023-07-19T120000Z', '2023-07-19T120000Z'],
    ['~', null],
    ['', null],
    ['null', null],
    ['=', '='],
    ['123456789012345678901', Number('1.2345678901234568e+20')],
    ['1e400', '1e400'],
    ['100m', '100m'],
    ['1Gi', '1Gi'],
    ['1685906000388294100', Number('1685906000388294100')],
    ['0x', '0x'],
    ['1_', 1],
    ['nginx:1.25', 'nginx:1.25'],
  ])('%s', (text, expected) => {
    expect(resolvePlain(text) === 0 ? Object.is(resolvePlain(text), 0) && 0 : resolvePlain(text)).toBe(expected)
  })

  test.each(['.inf', '-.Inf', '.nan'])('%s is nothing that JSON can hold', (text) => {
    expect(() => resolvePlain(text)).toThrow(/unsupported value/)
  })
})

test.each([
  ['a:\n  replicas: [2\n  selector:\n    x: y\n', '[2'],
  ['a:\n  replicas: {a: 1\n  selector:\n    x: y\n', '{a'],
  ['a: 1\nb: "x\nc: d\n', '"x'],
  ["a: 'fine'\nb: 'x\nc: d\n", "'x"],
])('what is not closed is told where it was opened: %j', (text, place) => {
  try {
    parseYamlDocument(text)
    expect.unreachable()
  } catch (error) {
    expect(text.slice(error instanceof YamlFault ? error.offset : 0).slice(0, place.length)).toBe(place)
  }
})
