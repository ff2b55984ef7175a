import { expect, it } from 'vitest'
import { Places } from './places.ts'

it('lets a few of each cluster in, not too many of all, and wakes who waits', () => {
  const woken: string[] = []
  const places = new Places((key) => woken.push(key))
  const enter = (server: string, count: number) =>
    Array.from({ length: count }, (_, index) => places.enter(server, `${server}${index}`))
  const leaves = ['a', 'b', 'c'].flatMap((server) => enter(server, 6))
  expect(leaves.map((leave) => leave !== undefined)).toEqual(
    [5, 1, 5, 1, 4, 2].flatMap((count, index) => Array.from({ length: count }, () => index % 2 === 0)),
  )
  leaves[0]?.()
  leaves[0]?.()
  // Its own, and the one that only found no place because of the others.
  expect(woken).toEqual(['a5', 'c4'])
  expect(places.enter('c', 'c4')).toBeDefined()
  expect(places.enter('a', 'a5')).toBeUndefined()
  for (const leave of leaves) leave?.()
  expect(woken).toEqual(expect.arrayContaining(['a5', 'b5', 'c5']))
})
