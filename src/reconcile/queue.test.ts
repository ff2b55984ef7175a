import { describe, expect, it } from 'vitest'
import { simulatedWorld } from '#world'
import { backoffMs, KeyedQueue } from './queue.ts'

function makeQueue() {
  const world = simulatedWorld(1)
  const queue = new KeyedQueue(world.clock, 'test', () => undefined)
  const takeAll = (): string[] => {
    const keys: string[] = []
    for (let key = queue.take(); key !== undefined; key = queue.take()) keys.push(key)
    return keys
  }
  return { world, queue, takeAll }
}

describe('keyed queue', () => {
  it('holds a key once and gives keys in the order in which they came', () => {
    const { queue, takeAll } = makeQueue()
    for (const key of ['b', 'a', 'b', 'c']) queue.add(key)
    expect(queue.depth).toBe(3)
    expect(takeAll()).toEqual(['b', 'a', 'c'])
  })

  it('never gives a key that is being worked on; what was added meanwhile comes afterwards', () => {
    const { queue, takeAll } = makeQueue()
    queue.add('a')
    expect(queue.take()).toBe('a')
    queue.add('a')
    queue.add('a')
    expect([takeAll(), queue.working()]).toEqual([[], ['a']])
    queue.hold('a')
    expect([takeAll(), queue.working(), queue.held]).toEqual([[], [], 1])
    queue.finish('a')
    expect(takeAll()).toEqual(['a'])
    queue.finish('a')
    expect(takeAll()).toEqual([])
  })

  it('does not give a key again for what its run saw when it began', () => {
    const { queue, takeAll } = makeQueue()
    queue.add('a')
    queue.take()
    queue.add('a')
    queue.begin('a')
    queue.finish('a')
    expect(takeAll()).toEqual([])
  })

  it('backs a failing key off, 5 ms doubling to 1,000 s, and forgets after success', async () => {
    const delays = (backoff?: Parameters<typeof backoffMs>[1]) =>
      [1, 2, 3, 10, 18, 19, 50].map((failures) => backoffMs(failures, backoff))
    expect(delays()).toEqual([5, 10, 20, 2560, 655_360, 1_000_000, 1_000_000])
    expect(delays({ firstMs: 1000, maxMs: 60_000 })).toEqual([1000, 2000, 4000, 60_000, 60_000, 60_000, 60_000])
    const { world, queue, takeAll } = makeQueue()
    queue.add('a')
    for (const delayMs of [5, 10, 20]) {
      expect(takeAll()).toEqual(['a'])
      expect(queue.failed('a', 'broken')).toBe(delayMs)
      queue.finish('a')
      expect(queue.backoff()[0]?.nextTryAt).toBe(world.clock.now() + delayMs)
      await world.advance(delayMs - 1)
      expect(takeAll()).toEqual([])
      await world.advance(1)
    }
    expect(takeAll()).toEqual(['a'])
    queue.succeeded('a', undefined)
    queue.finish('a')
    expect(queue.backoff()).toEqual([])
    expect(queue.failed('a', 'again')).toBe(5)
  })

  it('lets an addition from outside through at once, and the newest outcome decide the next look', async () => {
    const { world, queue, takeAll } = makeQueue()
    queue.add('a')
    queue.take()
    queue.succeeded('a', 1000)
    queue.finish('a')
    await world.advance(500)
    queue.add('a')
    expect(takeAll()).toEqual(['a'])
    expect(queue.scheduled).toBe(0)
    queue.succeeded('a', 800)
    queue.finish('a')
    await world.advance(799)
    expect(takeAll()).toEqual([])
    await world.advance(1)
    expect(takeAll()).toEqual(['a'])
  })

  it('gives a key that was added with a delay once, at the earliest time that was asked for', async () => {
    const { world, queue, takeAll } = makeQueue()
    queue.addAfter('a', 1000)
    await world.advance(400)
    queue.addAfter('a', 1000)
    await world.advance(599)
    expect(takeAll()).toEqual([])
    await world.advance(1)
    expect(takeAll()).toEqual(['a'])
    queue.succeeded('a', 5000)
    queue.addAfter('a', 1000)
    queue.finish('a')
    await world.advance(1000)
    expect(takeAll()).toEqual(['a'])
  })
})
