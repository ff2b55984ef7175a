import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  roundUpToMilli,
  subtractQuantity,
} from './quantity.ts'

const stored = (value: string | number) => formatQuantity(parseQuantity(value))

describe('quantity', () => {
  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['1000m', '1'],
    ['0.5', '500m'],
    [0.5, '500m'],
    ['1.5', '1500m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['1000Ki', '1000Ki'],
    ['512', '512'],
    ['1024', '1024'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['100000', '100k'],
    ['0.0000000001', '1n'],
    ['1e3', '1e3'],
    ['12e6', '12e6'],
    ['1e4', '10e3'],
    ['0.1Ki', '102400m'],
    ['1000Gi', '1000Gi'],
    ['2048Ki', '2Mi'],
    ['-1000m', '-1'],
    ['010', '010'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['4096Pi', '4Ei'],
  ])('writes %s as %s', (given, expected) => {
    expect(stored(given)).toBe(expected)
  })

  it.each([
    ['', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1x', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1.2.3', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    ['1K', "unable to parse quantity's suffix"],
    ['1mi', "unable to parse quantity's suffix"],
  ])('refuses %j', (text, message) => {
    expect(() => parseQuantity(text)).toThrow(message)
  })

  it('compares, adds and rounds', () => {
    expect(compareQuantity('1Gi', '1024Mi')).toBe(0)
    expect(compareQuantity('100m', '0.2')).toBe(-1)
    expect(addQuantity('100m', '900m')).toBe('1')
    expect(addQuantity('0', '512Mi')).toBe('512Mi')
    expect(subtractQuantity('1Gi', '512Mi')).toBe('512Mi')
    expect(quantityValue('1500m')).toBe(2)
    expect(quantityMilliValue('1500u')).toBe(2)
    expect(formatQuantity(roundUpToMilli(parseQuantity('1500u')))).toBe('2m')
    expect(formatQuantity(roundUpToMilli(parseQuantity('1.5')))).toBe('1500m')
  })

  it('keeps the amount when it is written and read again', () => {
    const text = fc
      .tuple(
        fc.integer({ min: -999999, max: 999999 }),
        fc.nat(999),
        fc.constantFrom('', 'm', 'u', 'k', 'M', 'Ki', 'Mi', 'Gi', 'e3'),
      )
      .map(([whole, fraction, suffix]) => `${whole}.${fraction}${suffix}`)
    fc.assert(
      fc.property(text, (given) => {
        const once = stored(given)
        expect(parseQuantity(once).nano).toBe(parseQuantity(given).nano)
        expect(stored(once)).toBe(once)
      }),
    )
  })
})
