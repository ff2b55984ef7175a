import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.ts'

describe('JSON text', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(text).value).toEqual(JSON.parse(text))
      }),
    )
    expect(parseJson(' {"a" : [1, -2.5e3, "x\\u0041\\n", true, null]} ').value).toEqual({
      a: [1, -2500, 'xA\n', true, null],
    })
    expect(Object.keys(parseJson('{"__proto__": 1}').value as object)).toEqual(['__proto__'])
  })

  it.each([
    ['{"apiVersion":"v1",', 'unexpected end of JSON input'],
    [' ', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"', `invalid character '"' after object key:value pair`],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['tru3', "invalid character '3' in literal true (expecting 'e')"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['Ï', "invalid character 'Ã' looking for beginning of value"],
  ])('refuses %j', (text, message) => {
    expect(() => parseJson(text)).toThrow(message)
  })

  it('remembers repeated keys and numbers that only look whole', () => {
    const { value, duplicateKeys, literals } = parseJson('{"data":{"a":1,"b":2,"a":3.0,"a":4}}')
    const { data } = value as { data: object }
    expect(data).toEqual({ a: 4, b: 2 })
    expect(duplicateKeys.get(data)).toEqual(['a'])
    expect(literals.get(data)?.get('a')).toBe('3.0')
  })
})
