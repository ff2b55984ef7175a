import { expect, it } from 'vitest'
import { addressWarnings, rangeWarnings } from './warnings.ts'

it.each<[string | undefined, readonly string[]]>([
  [undefined, []],
  ['None', []],
  ['10.0.0.1', []],
  ['fd00::1', []],
  ['010.0.0.1', ['f: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']],
  ['::ffff:1.2.3.4', ['f: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']],
  ['FD00:0::1', ['f: IPv6 address "FD00:0::1" should be in RFC 5952 canonical format ("fd00::1")']],
])('address %s', (text, expected) => {
  expect(addressWarnings(text, 'f')).toEqual(expected)
})

it.each<[string, readonly string[]]>([
  ['10.0.0.0/8', []],
  [
    '10.1.0.0/8',
    ['f: CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)'],
  ],
  ['10.0.0.0/08', ['f: non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"']],
  ['FD00::/8', ['f: IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")']],
])('range %s', (text, expected) => {
  expect(rangeWarnings(text, 'f')).toEqual(expected)
})
