// The data directory of a server that leaves nothing behind: a temporary one, or one that the user names, which must be new
// or empty, because all that is in it goes at the end.

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DaemonError } from '../options.ts'

export interface Scratch {
  readonly path: string
  remove(): Promise<void>
}

export async function makeScratch(wish: string | undefined): Promise<Scratch> {
  if (wish === undefined) {
    const path = await mkdtemp(join(tmpdir(), 'homeostat-')).catch((cause: Error) => {
      throw new DaemonError(`cannot make a temporary folder: ${cause.message}; name one with --data-dir`, { cause })
    })
    return { path, remove: () => rm(path, { recursive: true, force: true }) }
  }
  return (await makeNew(wish)) ? whole(wish) : contents(wish)
}

/** False when it is there already. */
async function makeNew(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT')
      throw new DaemonError(
        `cannot make ${path}: there is no ${dirname(path)}; make that first, or leave --data-dir out`,
      )
    if (code !== 'EEXIST') throw new DaemonError(`cannot make ${path}: ${message}`, { cause: error })
  }
  const there = await readdir(path).catch((cause: Error) => {
    throw new DaemonError(`cannot use ${path}: ${cause.message}`, { cause })
  })
  if (there.length === 0) return false
  throw new DaemonError(
    `${path} is not empty, and --ephemeral removes all that is in it at the end: name a new or an empty folder`,
  )
}

const whole = (path: string): Scratch => ({ path, remove: () => rm(path, { recursive: true, force: true }) })

const contents = (path: string): Scratch => ({
  path,
  async remove() {
    for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true })
  },
})
