// A fixed set of seeds, each with its own trouble: every invariant holds after every write, and the end is that of a run
// without trouble. `npm run sim` goes on from here.

import { beforeAll, describe, expect, it } from 'vitest'
import { differences } from '../contract/end-state.ts'
import { mischiefKinds } from './mischief.ts'
import { type RunResult, run, type Tale } from './run.ts'

/** What has been done in all runs, by kind. */
const done = new Set<string>()
const timeoutMs = 120_000
const plays = [4, 7, 13, 29, 33, 40, 59, 61, 77, 90, 104, 118]
const stories = [1, 16, 22, 27, 56, 100]

describe.each([
  ['play', plays],
  ['story', stories],
] as const)('a %s', (tale: Tale, seeds) => {
  let quiet: RunResult | undefined

  beforeAll(async () => {
    quiet = await run('quiet', { tale, quiet: true })
  }, timeoutMs)

  it('without trouble comes to its end', () => {
    expect([quiet?.error, quiet?.violations]).toEqual([undefined, []])
  })

  it.each(seeds.map((seed) => [seed]))(
    'under seed %i',
    async (seed) => {
      const { error, violations, end, deeds } = await run(seed, { tale })
      expect([error, violations]).toEqual([undefined, []])
      expect(differences(quiet?.end ?? [], end)).toEqual([])
      for (const { id } of deeds) done.add(id.slice(0, id.indexOf(':')))
    },
    timeoutMs,
  )

  it(
    'takes the same course when it is repeated, and the deeds that are left of its mischief do not change',
    async () => {
      const seed = seeds[1] ?? 0
      const first = await run(seed, { tale })
      expect((await run(seed, { tale })).hash).toBe(first.hash)
      const half = first.deeds.filter((_deed, index) => index % 2 === 0).map(({ id }) => id)
      const rest = await run(seed, { tale, only: new Set(half) })
      for (const { id } of rest.deeds) expect(half).toContain(id)
    },
    timeoutMs,
  )
})

it('between them they do every kind of mischief', () => {
  expect(mischiefKinds.filter((kind) => !done.has(kind))).toEqual([])
})
