// World time across restarts. It may run ahead of real time (--speed), and what is stored carries its stamps: a cluster
// that is continued must not live in its own past. While time is ahead, the file `<data-dir>/world-time` says, a little
// early, how far it may have come; a daemon that was killed leaves that behind too.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { World } from '#world'

const everyMs = 1000

const fileIn = (directory: string): string => join(directory, 'world-time')

/** Where world time goes on: where it had come to, or now when that is later. */
export async function resumeTime(directory: string): Promise<number> {
  const text = await readFile(fileIn(directory), 'utf8').catch(() => '')
  const saved = Date.parse(text.trim())
  return Math.max(Date.now(), Number.isNaN(saved) ? 0 : saved)
}

/** Keeps the file up to date until it is told to end; then the file says how far time has come. */
export function keepTime(directory: string, { world, speed }: { readonly world: World; readonly speed: number }) {
  const save = async (aheadMs: number): Promise<void> => {
    const at = world.clock.now() + aheadMs
    if (at <= Date.now()) return
    const path = fileIn(directory)
    await writeFile(`${path}.new`, `${new Date(at).toISOString()}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
  }
  // Twice the time to the next save: it may come late.
  const ahead = 2 * everyMs * speed
  const isAhead = (): boolean => speed > 1 || world.clock.now() > Date.now() + everyMs
  let saving: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    if (!isAhead()) return
    saving = saving
      .then(() => save(ahead))
      .catch((error) => world.log.warn('cannot save the time', { error: String(error) }))
  }, everyMs)
  timer.unref()
  return async (): Promise<void> => {
    clearInterval(timer)
    await saving
    if (isAhead()) await save(0).catch(() => undefined)
  }
}
