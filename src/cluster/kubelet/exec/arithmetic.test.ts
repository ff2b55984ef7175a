import { describe, expect, it } from 'vitest'
import { sumOf } from './arithmetic.ts'

describe('a sum of a shell', () => {
  it.each<[string, number | undefined]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['i+1', 6],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own words
    ['$i % 3 - ${i}', -3],
    ['7 / 2', 3],
    ['-i', -5],
    ['absent + 1', 1],
    ['i >= 5', 1],
    ['i == 4', 0],
    ['1 +', undefined],
    ['1 2', undefined],
    ['1 / 0', undefined],
    ['(1', undefined],
    ['', undefined],
    ['('.repeat(100_000), undefined],
    ['-'.repeat(100_000), undefined],
  ])('%j is %j', (text, value) => {
    expect(sumOf(text, (name) => (name === 'i' ? '5' : undefined))).toBe(value)
  })
})
