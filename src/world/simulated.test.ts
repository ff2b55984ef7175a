import { describe, expect, it } from 'vitest'
import { simulatedWorld } from './simulated.ts'

/** Three walkers that take turns, sleep and write down what they do. */
async function walk(seed: string): Promise<{ steps: string[]; hash: string }> {
  const world = simulatedWorld(seed)
  const steps: string[] = []
  const walker = async (name: string): Promise<void> => {
    for (let i = 0; i < 5; i += 1) {
      await world.clock.turn(`${name} turn ${i}`)
      steps.push(`${name}${i}`)
      await world.clock.sleep(world.random.int(3) * 10)
    }
  }
  for (const name of ['a', 'b', 'c']) void walker(name)
  await world.run(() => steps.length === 15)
  return { steps, hash: world.traceHash() }
}

describe('simulated world', () => {
  it('repeats a seed exactly and explores another order with another seed', async () => {
    const first = await walk('7')
    expect(await walk('7')).toEqual(first)
    expect((await walk('8')).hash).not.toBe(first.hash)
    expect((await walk('8')).steps).not.toEqual(first.steps)
  })

  it('jumps to the next timer and never waits in real time', async () => {
    const world = simulatedWorld(1)
    const start = world.clock.now()
    expect(new Date(start).toISOString()).toBe('2026-01-01T00:00:00.000Z')
    let at = 0
    world.clock.after(86_400_000, 'tomorrow', () => {
      at = world.clock.now()
    })
    await world.run(() => at > 0, { limitMs: 100_000_000 })
    expect(at - start).toBe(86_400_000)
  })

  it('lets the continuations of one task run out before the next begins', async () => {
    const world = simulatedWorld(1)
    const order: string[] = []
    const walker = async (name: string): Promise<void> => {
      await world.clock.turn(name)
      for (let i = 0; i < 3; i += 1) {
        order.push(name)
        await Promise.resolve()
      }
    }
    void walker('a')
    void walker('b')
    await world.settle()
    expect(['aaabbb', 'bbbaaa']).toContain(order.join(''))
  })

  it('blocks everything while outside work is awaited and delivers answers in the order asked', async () => {
    const world = simulatedWorld(1)
    const order: string[] = []
    const ask = async (name: string, realMs: number): Promise<void> => {
      await world.clock.outside(name, () => new Promise((resolve) => setTimeout(resolve, realMs)), 5)
      order.push(`${name}@${world.clock.now() % 1000}`)
    }
    world.clock.soon('ask', () => {
      void ask('slow', 20)
      world.clock.after(1, 'between', () => order.push('between'))
    })
    world.clock.after(2, 'ask again', () => void ask('fast', 1))
    await world.run(() => order.length === 3)
    expect(order).toEqual(['between', 'slow@5', 'fast@7'])
  })

  it('advance leaves the clock where it was told to', async () => {
    const world = simulatedWorld(1)
    const start = world.clock.now()
    let fired = 0
    const cancel = world.clock.after(50, 'cancelled', () => {
      fired += 1
    })
    world.clock.after(1000, 'late', () => {
      fired += 1
    })
    cancel()
    await world.advance(999)
    expect([world.clock.now() - start, fired]).toEqual([999, 0])
    await world.advance(1)
    expect(fired).toBe(1)
  })

  it('reports a failing task and a condition that never holds', async () => {
    const world = simulatedWorld(1)
    world.clock.soon('bad', () => {
      throw new Error('broken')
    })
    await expect(world.settle()).rejects.toThrow('broken')
    await expect(world.run(() => false)).rejects.toThrow('nothing is left to run (seed 1')
    const tick = (): void => void world.clock.after(1000, 'tick', tick)
    tick()
    await expect(world.run(() => false, { limitMs: 5000 })).rejects.toThrow('within 5 s of virtual time')
  })

  it('ends a run that goes round in circles, and says who turns', async () => {
    const world = simulatedWorld(1, { tasksPerInstant: 5000 })
    let turns = 0
    const turn = (): void => {
      world.clock.soon(`create pods/${turns++}`, () => undefined)
      world.clock.soon('daemonset shop/agent', turn)
    }
    turn()
    await expect(world.settle()).rejects.toThrow(
      /^the world does not come to rest: 5000 tasks at 2026-01-01T00:00:00.000Z. Of the last 1000:\n {2} 50\d daemonset shop\/agent\n/,
    )
  })

  it('drives a promise and ends a sleep by its signal', async () => {
    const world = simulatedWorld(1)
    const stop = new AbortController()
    world.clock.after(10, 'stop', () => stop.abort(new Error('stopped')))
    await expect(world.drive(() => world.clock.sleep(1000, stop.signal))).rejects.toThrow('stopped')
    expect(await world.drive(() => world.clock.sleep(5).then(() => 'rested'))).toBe('rested')
  })
})
