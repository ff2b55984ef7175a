// What is filled into texts, as Kubernetes fills it in: in the way of English texts.

import { expect, it } from 'vitest'
import { compileCel } from '../compile.ts'
import { dynamic, environmentOf } from '../environment.ts'

const environment = environmentOf(dynamic('value'))

function formatted(clause: string, value: unknown): unknown {
  const compiled = compileCel(`'${clause}'.format([value])`, environment)
  if (!compiled.ok) return compiled.faults
  try {
    return compiled.program.evaluate({ value })
  } catch (error) {
    return `error: ${(error as Error).message}`
  }
}

it.each<readonly [clause: string, value: unknown, text: string]>([
  ['%f', 1.25, '1.250000'],
  ['%.2f', 1234567.891, '1,234,567.89'],
  ['%.2f', -999.999, '-1,000.00'],
  ['%.0f', 1e21, '1,000,000,000,000,000,000,000'],
  ['%.2f', -0.001, '-0.00'],
  // Halves go to the even digit, and only what is exactly one half is one.
  ['%.0f', 2.5, '2'],
  ['%.0f', 3.5, '4'],
  ['%.0f', -2.5, '-2'],
  ['%.2f', 0.125, '0.12'],
  ['%.2f', 1.005, '1.00'],
  ['%.1f', 0.25, '0.2'],
  ['%e', 2097152.5, '2.097152\u202f×\u202f10⁰⁶'],
  ['%e', 20000005, '2.000000\u202f×\u202f10⁰⁷'],
  ['%e', 20000015, '2.000002\u202f×\u202f10⁰⁷'],
  ['%e', 2.5, '2.500000\u202f×\u202f10⁰⁰'],
  ['%e', -1.5e-10, '-1.500000\u202f×\u202f10⁻¹⁰'],
  ['%e', 1e100, '1.000000\u202f×\u202f10¹⁰⁰'],
  // A number before the `e` is a width.
  ['%.2e', 1052.032911275, '1.052033\u202f×\u202f10⁰³'],
  ['%.20e', 1, '     1.000000\u202f×\u202f10⁰⁰'],
  ['%f', Number.POSITIVE_INFINITY, '∞'],
  ['%e', Number.NEGATIVE_INFINITY, '    -∞'],
  ['%f', 'Infinity', '∞'],
  ['%f', Number.NaN, 'NaN'],
  ['%s', [2.5, 1e21, 'a\u0001"'], '[2.500000, 1000000000000000000000.000000, "a\\x01\\""]'],
  ['%s', 1234.5, '1234.5'],
  ['%d', 1234n, '1234'],
  ['%', 1, 'error: unexpected end of string'],
  ['%5', 1, 'error: could not parse formatting clause: unrecognized formatting clause "5"'],
  [
    '%.',
    1,
    'error: could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
  ],
  [
    '%.f',
    1,
    'error: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
])('%s of %s is %s', (clause, value, text) => {
  expect(formatted(clause, value)).toBe(text)
})
