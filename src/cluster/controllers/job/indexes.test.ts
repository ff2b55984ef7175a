import { describe, expect, it } from 'vitest'
import { countCommon, countOf, firstFree, formatIndexes, hasIndex, parseIndexes, withIndexes } from './indexes.ts'

describe('completion indexes', () => {
  it.each(['', '0', '0,1', '1,3-5,7'])('reads and writes %j', (text) => {
    expect(formatIndexes(parseIndexes(text, 100))).toBe(text)
  })

  it('drops what is out of range or makes no sense', () => {
    expect(formatIndexes(parseIndexes('1,x,3-9,12', 6))).toBe('1,3-5')
  })

  it('merges, counts and finds', () => {
    const indexes = withIndexes(parseIndexes('1,3-5', 10), [2, 9, 9])
    expect(formatIndexes(indexes)).toBe('1-5,9')
    expect(countOf(indexes)).toBe(6)
    expect(hasIndex(indexes, 4)).toBe(true)
    expect(hasIndex(indexes, 6)).toBe(false)
    expect(countCommon(indexes, parseIndexes('0-2,9', 10))).toBe(3)
  })

  it('finds the first free indexes', () => {
    expect(firstFree(parseIndexes('1,3-5', 10), 3, 10)).toEqual([0, 2, 6])
    expect(firstFree(parseIndexes('0-3', 5), 3, 5)).toEqual([4])
  })
})
