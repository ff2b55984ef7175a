import { describe, expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'

const text = (...lines: readonly string[]): readonly string[] => lines

describe('lineDiff', () => {
  it('is empty for equal texts', () => {
    expect(lineDiff(text('a', 'b'), text('a', 'b'))).toEqual([])
    expect(lineDiff([], [])).toEqual([])
  })

  it('marks lines that went and came, with three lines of context', () => {
    const from = text('1', '2', '3', '4', 'replicas: 5', '6', '7', '8', '9')
    const to = text('1', '2', '3', '4', 'replicas: 2', '6', '7', '8', '9')
    expect(lineDiff(from, to)).toEqual([
      '@@',
      '  2',
      '  3',
      '  4',
      '- replicas: 5',
      '+ replicas: 2',
      '  6',
      '  7',
      '  8',
    ])
  })

  it('separates places that are apart', () => {
    const from = [...'abcdefghijklmnop']
    const to = from.map((line) => (line === 'b' || line === 'o' ? line.toUpperCase() : line))
    expect(lineDiff(from, to).filter((line) => line === '@@')).toHaveLength(1)
    expect(lineDiff(from, to)).toContain('- b')
    expect(lineDiff(from, to)).toContain('+ O')
  })

  it('shows a text that appears or goes as a whole', () => {
    expect(lineDiff([], text('a', 'b'))).toEqual(['+ a', '+ b'])
    expect(lineDiff(text('a'), [])).toEqual(['- a'])
  })
})
