import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { jsonLog, silentLog } from './log.ts'
import { systemWorld } from './system.ts'

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('system world', () => {
  it('runs tasks in order, continuations of each before the next', async () => {
    const world = systemWorld({ log: silentLog })
    const order: string[] = []
    const walker = async (name: string): Promise<void> => {
      await world.clock.turn(name)
      order.push(`${name}1`)
      await Promise.resolve()
      order.push(`${name}2`)
    }
    await Promise.all([walker('a'), walker('b')])
    expect(order).toEqual(['a1', 'a2', 'b1', 'b2'])
    world.close()
  })

  it('yields to Node while the queue is never empty', async () => {
    const world = systemWorld({ log: silentLog })
    let spinning = true
    let spins = 0
    // A spin takes a millisecond or more: a slice of ten has room for eleven at most, however busy the machine is.
    const spin = (): void => {
      const end = performance.now() + 1
      while (performance.now() < end);
      spins += 1
      if (spinning) world.clock.soon('spin', spin)
    }
    world.clock.soon('spin', spin)
    const inTurn: number[] = []
    for (let i = 0; i < 20; i += 1) {
      const before = spins
      await immediate()
      inTurn.push(spins - before)
    }
    spinning = false
    world.close()
    expect(Math.max(...inTurn)).toBeLessThanOrEqual(11)
    expect(spins).toBeGreaterThan(0)
  })

  it('asks a long slice to take a turn', async () => {
    const world = systemWorld({ log: silentLog })
    const seen = await new Promise<boolean[]>((resolve) =>
      world.clock.soon('long', () => {
        const before = world.clock.breathe('first') === undefined
        const end = performance.now() + 12
        while (performance.now() < end);
        resolve([before, world.clock.breathe('second') === undefined])
      }),
    )
    expect(seen).toEqual([true, false])
    await immediate()
    expect(world.clock.breathe('outside of the queue')).toBeUndefined()
    world.close()
  })

  it('scales timers by speed, pauses and steps', async () => {
    const world = systemWorld({ log: silentLog, speed: 1000, startAt: 0 })
    await world.clock.sleep(20_000)
    expect(world.clock.now()).toBeGreaterThanOrEqual(20_000)
    world.pause()
    const at = world.clock.now()
    const order: string[] = []
    world.clock.soon('now', () => order.push('now'))
    world.clock.after(5000, 'later', () => order.push('later'))
    await immediate()
    expect([order, world.clock.now()]).toEqual([[], at])
    expect(world.step()).toBe(true)
    expect(order).toEqual(['now'])
    expect(world.step()).toBe(true)
    expect([order, world.clock.now()]).toEqual([['now', 'later'], at + 5000])
    expect(world.step()).toBe(false)
    world.setSpeed(100)
    world.resume()
    await world.clock.sleep(500)
    expect(world.clock.now()).toBeGreaterThanOrEqual(at + 5500)
    world.close()
  })

  it('goes on after a failing task', async () => {
    const failures: unknown[] = []
    const world = systemWorld({ log: silentLog, onFailure: (error) => failures.push(error) })
    world.clock.soon('bad', () => {
      throw new Error('broken')
    })
    await world.clock.turn('next')
    expect(String(failures[0])).toContain('broken')
    world.close()
  })

  it('logs JSON lines with world time and without secrets', () => {
    const lines: string[] = []
    const destination = new Writable({
      write(chunk, _encoding, end) {
        lines.push(String(chunk))
        end()
      },
    })
    const log = jsonLog({ now: () => 0, destination })
    log.with({ loop: 'deployment' }).info('hello', {
      token: 'abc',
      headers: { authorization: 'Bearer abc' },
      object: { metadata: 1, data: { p: 'q' } },
    })
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'info',
      time: '1970-01-01T00:00:00.000Z',
      loop: 'deployment',
      token: '[secret]',
      headers: { authorization: '[secret]' },
      object: { metadata: 1, data: '[secret]' },
      msg: 'hello',
    })
  })
})
