// The reconciler's promise over generated applications. `npm run promise` goes on from here.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { keepPromise } from './keep.ts'
import { everyKind } from './kinds.ts'

/** The second one compares by Argo CD's three-way merge. */
const seeds = [1, 3]

it.each(seeds)(
  'is kept for all common kinds (seed %i)',
  async (seed) => {
    const [objects = []] = fc.sample(everyKind, { seed, numRuns: 1 })
    expect(await keepPromise(objects, seed)).toEqual([])
  },
  60_000,
)
