// Sets of completion indexes as ordered intervals, and their text (`1,3-5,7`) as in status.completedIndexes. Pure.

export interface Interval {
  readonly first: number
  readonly last: number
}

export type Indexes = readonly Interval[]

export const noIndexes: Indexes = []

/** Indexes of the text below `completions`; parts that make no sense are left out. */
export function parseIndexes(text: string | undefined, completions: number): Indexes {
  if (text === undefined || text === '') return noIndexes
  const intervals = text.split(',').flatMap((part) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part)
    if (match === null) return []
    const first = Number(match[1])
    return first >= completions ? [] : [{ first, last: Math.min(Number(match[2] ?? first), completions - 1) }]
  })
  return union(intervals, noIndexes)
}

export function formatIndexes(indexes: Indexes): string {
  const part = ({ first, last }: Interval): string =>
    last === first ? String(first) : `${first}${last === first + 1 ? ',' : '-'}${last}`
  return indexes.map(part).join(',')
}

export const countOf = (indexes: Indexes): number =>
  indexes.reduce((total, { first, last }) => total + last - first + 1, 0)

export const hasIndex = (indexes: Indexes, index: number): boolean =>
  indexes.some(({ first, last }) => first <= index && index <= last)

export const withIndexes = (indexes: Indexes, more: Iterable<number>): Indexes =>
  union(
    indexes,
    [...new Set(more)].sort((a, b) => a - b).map((index) => ({ first: index, last: index })),
  )

export function union(a: Indexes, b: Indexes): Indexes {
  const all = [...a, ...b].sort((x, y) => x.first - y.first)
  const result: { first: number; last: number }[] = []
  for (const { first, last } of all) {
    const previous = result.at(-1)
    if (previous === undefined || first > previous.last + 1) result.push({ first, last })
    else if (last > previous.last) previous.last = last
  }
  return result
}

/** How many of `wanted` are among `indexes`. */
export function countCommon(indexes: Indexes, wanted: Indexes): number {
  let count = 0
  for (const a of indexes)
    for (const b of wanted) count += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1)
  return count
}

/** The first `count` indexes below `completions` that are not taken. */
export function firstFree(taken: Indexes, count: number, completions: number): readonly number[] {
  const free: number[] = []
  let candidate = 0
  for (const { first, last } of taken) {
    for (; candidate < first && candidate < completions && free.length < count; candidate++) free.push(candidate)
    candidate = Math.max(candidate, last + 1)
  }
  for (; candidate < completions && free.length < count; candidate++) free.push(candidate)
  return free
}
