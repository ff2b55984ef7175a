import { expect, it } from 'vitest'
import { shrink } from './shrink.ts'

const letters = 'abcdefghijklmnop'.split('')

it.each([
  ['one deed', ['k']],
  ['two deeds far apart', ['a', 'p']],
  ['three deeds', ['b', 'g', 'h']],
  ['nothing at all', []],
])('finds %s', async (_name, needed) => {
  const found = await shrink(letters, async (deeds) => needed.every((deed) => deeds.has(deed)), 200)
  expect([...found].sort()).toEqual(needed)
})

it('stays within its budget, and answers something that fails', async () => {
  let runs = 0
  const fails = async (deeds: ReadonlySet<string>): Promise<boolean> => {
    runs += 1
    return ['c', 'm', 'o'].every((deed) => deeds.has(deed))
  }
  const found = await shrink(letters, fails, 12)
  expect(runs).toBeLessThanOrEqual(12)
  expect(await fails(new Set(found))).toBe(true)
})
