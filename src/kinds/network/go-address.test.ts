import { expect, it } from 'vitest'
import { parseAddress } from './addresses.ts'
import { addressFault, prefixFault } from './go-address.ts'

it.each<readonly [string, string | undefined]>([
  ['1.2.3.4', undefined],
  ['::', undefined],
  ['fe80::1%eth0', undefined],
  ['::ffff:1.2.3.4', undefined],
  ['', 'unable to parse IP'],
  ['abc', 'unable to parse IP'],
  ['%eth0', 'missing IPv6 address'],
  ['1.2.3', 'IPv4 address too short'],
  ['1.2.3.4.5', 'IPv4 address too long'],
  ['1.2.3.004', 'IPv4 field has octet with leading zero'],
  ['1.2.3.256', 'IPv4 field has value >255'],
  ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
  ['1.2.3.x', 'unexpected character (at "x")'],
  ['fe80::1%', 'zone must be a non-empty string'],
  ['12345::', 'each group must have 4 or less digits (at "12345::")'],
  ['1:2', 'address string too short'],
  ['1:2:', 'colon must be followed by more characters (at ":")'],
  ['1::2::3', 'multiple :: in address (at ":3")'],
  ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
  ['1:2:3:4:5:6:7:8::', 'the :: must expand to at least one field of zeros'],
  ['1::2:3:4:5:6:7:8', 'the :: must expand to at least one field of zeros'],
  ['1:x', 'each colon-separated field must have at least one digit (at "x")'],
  ['1:2x', 'unexpected character, want colon (at "x")'],
  ['1:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
  ['::1.2.3', 'IPv4 address too short'],
])('the address %s', (text, expected) => {
  expect(addressFault(text)).toBe(expected && `ParseAddr(${JSON.stringify(text)}): ${expected}`)
  if (expected === undefined && !text.includes('%')) expect(parseAddress(text)).toBeDefined()
})

it.each<readonly [string, string | undefined]>([
  ['10.0.0.0/8', undefined],
  ['::/0', undefined],
  ['10.0.0.0', "no '/'"],
  ['10.0.0/8', 'ParseAddr("10.0.0"): IPv4 address too short'],
  ['10.0.0.0/33', 'prefix length out of range'],
  ['10.0.0.0/1000', 'prefix length out of range'],
  ['10.0.0.0/08', 'bad bits after slash: "08"'],
  ['10.0.0.0/-1', 'bad bits after slash: "-1"'],
  ['fe80::%e/64', 'IPv6 zones cannot be present in a prefix'],
])('the network %s', (text, expected) => {
  expect(prefixFault(text)).toBe(expected && `netip.ParsePrefix(${JSON.stringify(text)}): ${expected}`)
})
