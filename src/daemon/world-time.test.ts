import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog, systemWorld } from '#world'
import { keepTime, resumeTime } from './world-time.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeostat-time-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a world that ran ahead goes on where it was', async () => {
  const startAt = Date.now() + 3_600_000
  const world = systemWorld({ speed: 100, startAt, log: silentLog })
  const end = keepTime(folder, { world, speed: 100 })
  await end()
  const reached = world.clock.now()
  world.close()
  const resumed = await resumeTime(folder)
  expect(resumed).toBeGreaterThanOrEqual(startAt)
  expect(resumed).toBeLessThanOrEqual(reached)
})

test('a world that is killed has promised more than it used', async () => {
  const world = systemWorld({ speed: 100, log: silentLog })
  const end = keepTime(folder, { world, speed: 100 })
  await expect.poll(() => readFile(join(folder, 'world-time'), 'utf8').catch(() => ''), { timeout: 5000 }).not.toBe('')
  expect(await resumeTime(folder)).toBeGreaterThan(world.clock.now())
  await end()
  world.close()
})

test('a world in real time needs no file, and a strange one is not believed', async () => {
  const world = systemWorld({ speed: 1, log: silentLog })
  await keepTime(folder, { world, speed: 1 })()
  world.close()
  await expect(readFile(join(folder, 'world-time'))).rejects.toThrow('ENOENT')
  await writeFile(join(folder, 'world-time'), 'tomorrow')
  const before = Date.now()
  expect(await resumeTime(folder)).toBeGreaterThanOrEqual(before)
})
