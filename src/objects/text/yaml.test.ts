import { describe, expect, it } from 'vitest'
import { parseYaml } from './yaml.ts'

const read = (text: string) => parseYaml(text).value

describe('YAML text', () => {
  it.each([
    ['y', true],
    ['on', true],
    ['NO', false],
    ['Off', false],
    ['010', 8],
    ['0o17', 15],
    ['0777', 511],
    ['089', 89],
    ['1e3', 1000],
    ['1_000', 1000],
    ['0x1F', 31],
    ['0b11', 3],
    ['+1', 1],
    ['1.', 1],
    ['.5', 0.5],
    ['1.10', 1.1],
    ['12:30', '12:30'],
    ['190:20:30', '190:20:30'],
    ['2001-01-01', '2001-01-01'],
    ['2019-03-20T17:54:53Z', '2019-03-20T17:54:53Z'],
    ['~', null],
    ['=', '='],
    ['123456789012345678901', 1.2345678901234568e20],
    ['1e400', '1e400'],
    ['"010"', '010'],
    ["'on'", 'on'],
    ['!!str 1', '1'],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['1.2.3', '1.2.3'],
  ])('reads %s as Kubernetes does', (text, value) => {
    expect(read(`a: ${text}`)).toEqual({ a: value })
  })

  it('turns keys into text, follows aliases and merges', () => {
    expect(read('5: a\n3.14: b\ntrue: c\non: d')).toEqual({ '5': 'a', '3.14': 'b', true: 'd' })
    expect(read('a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  b: 3\ne: *x')).toEqual({
      a: { b: 1, c: 2 },
      d: { b: 3, c: 2 },
      e: { b: 1, c: 2 },
    })
  })

  it('reads the first document only', () => {
    expect(read('a: 1\n---\nb: 2\n')).toEqual({ a: 1 })
    expect(read('')).toBeNull()
    expect(read('\uFEFFa: 1')).toEqual({ a: 1 })
  })

  it('lets the last of repeated keys win and reports them to strict decoding', () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: dupy-strict\ndata:\n  a: "1"\n  b: "2"\n  a: "3"\n'
    const parsed = parseYaml(text)
    expect(parsed.value).toMatchObject({ data: { a: '3', b: '2' } })
    expect(parsed.strictErrors).toEqual(['yaml: unmarshal errors:\n  line 8: key "a" already set in map'])
  })

  it.each([
    ['a: [b\nc: }', "yaml: line 1: did not find expected ',' or ']'"],
    ['a: [}', 'yaml: did not find expected node content'],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['a: "x', 'yaml: found unexpected end of stream'],
    ['\ta: b', 'yaml: found character that cannot start any token'],
    ['a: b\n\tc: d', 'yaml: line 2: found character that cannot start any token'],
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: |\n x\ny', "yaml: line 3: could not find expected ':'"],
    ['{{x}}: y', 'yaml: invalid map key: map[interface {}]interface {}{"x":interface {}(nil)}'],
    ['a: .inf', 'json: unsupported value: +Inf'],
  ])('refuses %j', (text, message) => {
    expect(() => parseYaml(text)).toThrow(message)
  })

  it.each([
    ['as its key', 'a:\n  b: "one\n  two"\n  c: 1\n', { a: { b: 'one two', c: 1 } }],
    ['less than its key', "a:\n  b: 'one\n two'\n", { a: { b: 'one two' } }],
    ['not at all', 'a: "one\ntwo"\nb: 2\n', { a: 'one two', b: 2 }],
    ['as an element', 'a:\n- "one\n- two"\n- x\n', { a: ['one - two', 'x'] }],
    ['with Windows’ line ends', 'k:\r\n  a: "one\r\n  two"\r\n  b: 1\r\n', { k: { a: 'one two', b: 1 } }],
    ['over an empty line', 'a:\n  b: "one\n\n  two"\n', { a: { b: 'one\ntwo' } }],
  ])('goes on with a quoted scalar in a line indented %s, as go-yaml does', (_, text, expected) => {
    expect(parseYaml(text).value).toEqual(expected)
  })

  it.each(['a: one\ntwo\n', 'a: "one\n---\ntwo"\n', '"a\nb": c\n'])(
    'but not with a plain one, over the end of a document, or as a key: %j',
    (text) => {
      expect(() => parseYaml(text)).toThrow('yaml: ')
    },
  )

  it('does not unfold aliases without end', () => {
    const bomb = [
      'a0: &a0 [x, x]',
      ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
    ].join('\n')
    expect(() => parseYaml(bomb)).toThrow('yaml: document contains excessive aliasing')
  })
})
