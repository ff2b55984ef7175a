import { expect, it } from 'vitest'
import type { FieldError } from '../field-error.ts'
import { addressWarnings, checkStandardAddress, checkStandardRange, rangeWarnings } from './forms.ts'

it.each<[string, RegExp | undefined, RegExp | undefined]>([
  ['10.0.0.1', undefined, undefined],
  ['10.0.0.10', undefined, undefined],
  ['fd00::1', undefined, undefined],
  [
    '010.0.0.1',
    /: must not have leading 0s$/,
    /^p: non-standard IP address "010.0.0.1" will be considered invalid in a future .*: use "10.0.0.1"$/,
  ],
  ['10.0.0.01', /: must not have leading 0s$/, /: use "10.0.0.1"$/],
  ['::ffff:10.0.0.1', /: must not be an IPv4-mapped IPv6 address$/, /: use "10.0.0.1"$/],
  ['FD00:0::1', /: must be in canonical form \("fd00::1"\)$/, /should be in RFC 5952 canonical format \("fd00::1"\)$/],
  ['a', /must be a valid IP address, \(e\.g\. /, undefined],
])('forms of the address %s', (text, fault, warning) => {
  expectBoth(text, { fault, warning }, { check: checkStandardAddress, warn: addressWarnings })
})

it.each<[string, RegExp | undefined, RegExp | undefined]>([
  ['10.0.0.0/8', undefined, undefined],
  ['fd00::/8', undefined, undefined],
  [
    '10.0.0.0/08',
    /: must not have leading 0s in IP or prefix length$/,
    /^p: non-standard CIDR value .*: use "10.0.0.0\/8"$/,
  ],
  ['::ffff:10.0.0.0/8', /: must not have an IPv4-mapped IPv6 address$/, /: use "10.0.0.0\/8"$/],
  [
    '10.0.0.1/8',
    /: must not have bits set beyond the prefix length$/,
    /^p: CIDR value "10.0.0.1\/8" is ambiguous in this context \(should be "10.0.0.0\/8" or "10.0.0.1\/32"\?\)$/,
  ],
  ['FD00::/8', /: must be in canonical form \("fd00::\/8"\)$/, /^p: IPv6 CIDR value "FD00::\/8" should be in RFC 5952/],
  ['a', /must be a valid CIDR value, \(e\.g\. /, undefined],
])('forms of the range %s', (text, fault, warning) => {
  expectBoth(text, { fault, warning }, { check: checkStandardRange, warn: rangeWarnings })
})

interface Forms {
  readonly check: (text: string, path: string, errors: FieldError[]) => void
  readonly warn: (text: string, path: string) => readonly string[]
}

function expectBoth(
  text: string,
  { fault, warning }: { readonly fault: RegExp | undefined; readonly warning: RegExp | undefined },
  { check, warn }: Forms,
): void {
  const errors: FieldError[] = []
  check(text, 'p', errors)
  const [faults, warnings] = [errors.map(({ message }) => message), warn(text, 'p')]
  expect(faults).toEqual(fault === undefined ? [] : [expect.stringMatching(fault)])
  expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)])
}
