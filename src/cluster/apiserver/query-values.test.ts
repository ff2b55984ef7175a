import { expect, it } from 'vitest'
import { numberFault, parseFlag, parseInt64 } from './query-values.ts'

it.each<[string, 'ParseInt' | 'ParseUint', string | undefined]>([
  ['0', 'ParseInt', undefined],
  ['-9223372036854775808', 'ParseInt', undefined],
  ['9223372036854775808', 'ParseInt', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ['', 'ParseInt', 'strconv.ParseInt: parsing "": invalid syntax'],
  ['1.5', 'ParseInt', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  ['-1', 'ParseUint', 'strconv.ParseUint: parsing "-1": invalid syntax'],
  ['18446744073709551616', 'ParseUint', 'strconv.ParseUint: parsing "18446744073709551616": value out of range'],
])('reads %s as %s does', (text, parser, fault) => {
  expect(numberFault(text, parser)).toBe(fault)
})

it('tells a number that is missing from one that cannot be read', () => {
  expect(parseInt64(undefined, Error)).toBeUndefined()
  expect(parseInt64('+7', Error)).toBe(7)
  expect(() => parseInt64('', (why) => new Error(why))).toThrow('parsing "": invalid syntax')
})

it.each<[string | undefined, boolean | undefined]>([
  [undefined, undefined],
  ['', true],
  ['no', true],
  ['0', false],
  ['FALSE', false],
])('reads the flag %s', (text, flag) => {
  expect(parseFlag(text)).toBe(flag)
})
