// A page of a bucket as it was at an earlier revision: today's entries, with every later event undone. The cost is that
// of the page and of the events since, not of the bucket.

import type { EventLog } from './event-log.ts'
import type { KeyIndex, KeyRange, Page } from './key-index.ts'
import type { Entry } from './store.ts'

export interface Past {
  readonly keys: KeyIndex
  readonly log: EventLog
}

export function pageAt({ keys, log }: Past, range: KeyRange, revision: number): Page {
  const { prefix, after, limit } = range
  const earlier = stateBefore(log, revision)
  const inRange = (key: string): boolean => key.startsWith(prefix) && (after === undefined || key > after)
  const changed = [...earlier.keys()].filter(inRange)
  const undone = changed.flatMap((key) => earlier.get(key) ?? []).sort((a, b) => (a.key < b.key ? -1 : 1))
  const unchanged = keys.page({ ...range, limit: 0 }).remaining - changed.filter((key) => keys.get(key)).length

  const entries: Entry[] = []
  let next = 0
  const takeUndone = (before: string | undefined): void => {
    for (let entry = undone[next]; entry !== undefined && entries.length < limit; entry = undone[next]) {
      if (before !== undefined && entry.key > before) return
      entries.push(entry)
      next += 1
    }
  }
  for (const entry of keys.walk(prefix, after)) {
    if (entries.length >= limit) break
    if (earlier.has(entry.key)) continue
    takeUndone(entry.key)
    if (entries.length < limit) entries.push(entry)
  }
  takeUndone(undefined)
  return { entries, remaining: unchanged + undone.length - entries.length }
}

/** For every key that changed after `revision`: its entry at that revision, if it had one. */
function stateBefore(log: EventLog, revision: number): ReadonlyMap<string, Entry | undefined> {
  const earlier = new Map<string, Entry | undefined>()
  for (let position = log.positionAfter(revision); position < log.end; position += 1) {
    const event = log.at(position)
    const key = (event?.current ?? event?.previous)?.key
    if (key !== undefined && !earlier.has(key)) earlier.set(key, event?.previous)
  }
  return earlier
}
