import { expect, test } from 'vitest'
import { RecentMap } from './recent-map.ts'

test('forgets what was not used for longest', () => {
  const map = new RecentMap<number>(3)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  map.get('a')
  map.set('d', 4)
  expect([map.get('a'), map.get('b'), map.get('c'), map.get('d')]).toEqual([1, undefined, 3, 4])
})

test('keeps one value that is heavier than the limit, and only that', () => {
  const map = new RecentMap<string>(10)
  map.set('small', 'x', 5)
  map.set('big', 'y', 50)
  expect([map.get('small'), map.get('big')]).toEqual([undefined, 'y'])
  map.set('next', 'z', 1)
  expect([map.get('big'), map.get('next')]).toEqual([undefined, 'z'])
})
