import { expect, it } from 'vitest'
import type { FieldError } from '../field-error.ts'
import { checkNonSpecialAddress, parseAddress, parseRange, rangeContains } from './addresses.ts'

it.each<[string, 4 | 6 | undefined]>([
  ['10.0.0.1', 4],
  ['010.0.0.1', 4],
  ['::ffff:10.0.0.1', 4],
  ['fd00::1', 6],
  ['::', 6],
  ['1:2:3:4:5:6:7:8', 6],
  ['1:2:3:4:5:6:1.2.3.4', 6],
  ['', undefined],
  ['10.0.0', undefined],
  ['256.0.0.1', undefined],
  ['1:2:3:4:5:6:7', undefined],
  ['1::2::3', undefined],
  ['::1%eth0', undefined],
  ['12345::', undefined],
])('reads the address %s', (text, family) => {
  expect(parseAddress(text)?.family).toBe(family)
})

it.each<[string, string, boolean]>([
  ['10.96.0.0/12', '10.96.0.1', true],
  ['10.96.0.0/12', '10.112.0.0', false],
  ['0.0.0.0/0', '255.255.255.255', true],
  ['fd00::/8', 'fdff::1', true],
  ['fd00::/8', '10.0.0.1', false],
])('knows what %s holds', (range, address, expected) => {
  const [parsed, inner] = [parseRange(range), parseAddress(address)]
  if (parsed === undefined || inner === undefined) throw new Error('both can be read')
  expect(rangeContains(parsed, inner)).toBe(expected)
})

it.each(['10.0.0.0', '10.0.0.0/33', 'a/8', '10.0.0.0/', 'fd00::/129'])('takes %s for no range', (text) => {
  expect(parseRange(text)).toBeUndefined()
})

it.each<[string, RegExp | undefined]>([
  ['10.0.0.1', undefined],
  ['0.0.0.0', /unspecified/],
  ['127.0.0.1', /loopback/],
  ['169.254.1.1', /link-local range/],
  ['224.0.0.1', /link-local multicast/],
  ['fe80::1', /link-local range/],
])('lets %s be an endpoint or not', (address, fault) => {
  const errors: FieldError[] = []
  checkNonSpecialAddress(address, 'ip', errors)
  if (fault === undefined) expect(errors).toEqual([])
  else expect(errors[0]?.message).toMatch(fault)
})
