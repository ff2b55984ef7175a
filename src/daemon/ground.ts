// What every daemon stands on: its data directory, the store in it (or in memory), a world that goes on where the last one
// ended, and the key that service account tokens are signed with.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { storeCodec } from '#apiserver'
import { readServiceAccountKey } from '#http/kube'
import { createMemoryStore, openStore, type Store, StoreOpenError } from '#store'
import { type SystemWorld, systemWorld } from '#world'
import { type DataDirectory, openDataDirectory } from './data-directory.ts'
import type { Undo } from './lifetime.ts'
import { openLog } from './log.ts'
import { DaemonError } from './options.ts'
import { keepTime, resumeTime } from './world-time.ts'

export interface GroundOptions {
  readonly dataDir: string
  readonly ephemeral: boolean
  readonly speed: number
  readonly seed?: number
}

export interface Ground {
  readonly directory: DataDirectory
  /** The machine that is given it closes it. */
  readonly store: Store
  readonly world: SystemWorld
  readonly serviceAccountKey: string
  /** Resolves when the disk failed: the reason in one line. */
  readonly failed: Promise<string>
}

export async function layGround(options: GroundOptions, undo: Undo): Promise<Ground> {
  const directory = await openDataDirectory(options.dataDir)
  undo.push(() => directory.release())
  let fail: (reason: string) => void = () => {}
  const failed = new Promise<string>((resolve) => {
    fail = resolve
  })
  const store = await chooseStore(options, directory, ({ message }) =>
    fail(`${message}; make room there, or mend it, and start again: what was acknowledged is kept`),
  )
  const startAt = options.ephemeral ? Date.now() : await resumeTime(directory.path)
  const world = createWorld(options, directory, { revision: store.revision, startAt })
  undo.push(() => world.close())
  if (!options.ephemeral) undo.push(keepTime(directory.path, { world, speed: options.speed }))
  return { directory, store, world, failed, serviceAccountKey: await readServiceAccountKey(directory.path) }
}

/** A cluster that is continued must not draw the numbers of its earlier life again: they became uids and names. */
function createWorld(
  { speed, seed }: GroundOptions,
  directory: DataDirectory,
  { revision, startAt }: { readonly revision: number; readonly startAt: number },
): SystemWorld {
  let now = (): number => Date.now()
  const warn = (line: string): void => void process.stderr.write(`homeostat: ${line}\n`)
  const { log } = openLog(directory.path, () => now(), warn)
  const world = systemWorld({
    speed,
    startAt,
    log,
    ...(seed === undefined ? {} : { seed: revision === 0 ? `${seed}` : `${seed}/${revision}` }),
  })
  now = () => world.clock.now()
  return world
}

async function chooseStore(
  options: GroundOptions,
  directory: DataDirectory,
  onFailure: (error: Error) => void,
): Promise<Store> {
  if (options.ephemeral) return createMemoryStore()
  const opening = await beginOpening(directory.path)
  try {
    const store = await openStore({ folder: `${directory.path}/store`, codec: storeCodec, onFailure })
    await opening.end()
    return store
  } catch (error) {
    await opening.end()
    if (error instanceof StoreOpenError) throw new DaemonError(error.message, { cause: error })
    throw error
  }
}

/**
 * What the database cannot tell of its damage it dies of, with the whole process and without a word. A file that stands as
 * long as it is opened lets the next start say so.
 */
async function beginOpening(path: string): Promise<{ end(): Promise<void> }> {
  const mark = join(path, 'store.opening')
  try {
    await writeFile(mark, '', { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new DaemonError(`cannot write to the data directory ${path}: ${(error as Error).message}`, { cause: error })
    process.stderr.write(
      `homeostat: the last start ended while it read ${path}/store. Should this one end there too, the store is damaged: put the folder aside to begin anew, or bring it back from a copy\n`,
    )
  }
  return { end: () => rm(mark, { force: true }) }
}
