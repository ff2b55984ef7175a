// What every daemon stands on: its data directory, the store in it (or in memory), a world that goes on where the last one
// ended, and the key that service account tokens are signed with.

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
  const store = await chooseStore(options, directory, (error) => fail(error.message))
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
  try {
    return await openStore({ folder: `${directory.path}/store`, codec: storeCodec, onFailure })
  } catch (error) {
    if (error instanceof StoreOpenError) throw new DaemonError(error.message, { cause: error })
    throw error
  }
}
