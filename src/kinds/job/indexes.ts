// Which indexes of an Indexed Job a text such as `0-3,5` names, or what is wrong with it.

import { quote } from '../field-error.ts'

/** First and last index of each interval, in rising order. */
export type Intervals = readonly (readonly [low: number, high: number])[]
export type Indexes = { readonly intervals: Intervals } | { readonly fault: string }

export const countIndexes = (intervals: Intervals): number =>
  intervals.reduce((total, [low, high]) => total + high - low + 1, 0)

/** The first index that is in both. */
export function sharedIndex(some: Intervals, others: Intervals): number | undefined {
  let j = 0
  for (const [low, high] of some) {
    while ((others[j]?.[1] ?? Number.POSITIVE_INFINITY) < low) j++
    const other = others[j]
    if (other !== undefined && other[0] <= high) return Math.max(low, other[0])
  }
  return undefined
}

export function readIndexes(text: string, completions: number): Indexes {
  const intervals: [number, number][] = []
  let last: number | undefined
  const order = (previous: number, current: number): { readonly fault: string } => ({
    fault: `non-increasing order, previous: ${previous}, current: ${current}`,
  })
  for (const part of text === '' ? [] : text.split(',')) {
    const limits = part.split('-')
    if (limits.length > 2)
      return {
        fault: `the fragment ${quote(part)} violates the requirement that an index interval can have at most two parts separated by '-'`,
      }
    for (const limit of limits) {
      if (!/^[+-]?\d+$/.test(limit)) return { fault: `cannot convert string to integer for index: ${quote(limit)}` }
      if (Number(limit) >= completions) return { fault: `too large index: ${quote(limit)}` }
    }
    const [low = 0, high = low] = limits.map(Number)
    if (limits.length === 2 && low >= high) return order(low, high)
    if (last !== undefined && last >= low) return order(last, low)
    intervals.push([low, high])
    last = high
  }
  return { intervals }
}
