// Keeps the packs of a mirror few, however often it is fetched: when too many lie there they are made into one, in a thread of its
// own and beside all readers and fetches. A pack is never changed: the merged one is whole on the disk before the first of the
// others goes, and of each of these the index goes first. Wherever that breaks off, every object is in a pack that is found.

import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './git-layout.ts'
import { indexedObjects } from './pack-index.ts'
import { aside } from './packing/aside.ts'
import { decideMerge, maxPacks, type PackOnDisk } from './packing/decide-merge.ts'
import { messageOf } from './source-error.ts'

export interface UpkeepOptions {
  /** Told what went wrong, once until it goes well again. */
  readonly warn: (message: string) => void
}

const merging = 'tmp_merging_'
/** What git and we write beside a pack. */
const besides = ['.rev', '.bitmap']

export class PackUpkeep {
  readonly #warn: UpkeepOptions['warn']
  #last: Promise<unknown> = Promise.resolve()
  /** Of folders where it failed: how many packs may lie there before it is tried again. */
  readonly #failed = new Map<string, number>()
  readonly #waiting = new Set<string>()

  constructor({ warn }: UpkeepOptions) {
    this.#warn = warn
  }

  /** One folder after another, so that memory is that of one. Never throws. */
  keep(gitDirectory: string): Promise<void> {
    if (this.#waiting.has(gitDirectory)) return Promise.resolve()
    this.#waiting.add(gitDirectory)
    const next = this.#last.then(() => {
      this.#waiting.delete(gitDirectory)
      return this.#keep(gitDirectory)
    })
    this.#last = next
    return next
  }

  async #keep(gitDirectory: string): Promise<void> {
    const folder = join(gitDirectory, 'objects/pack')
    let count = 0
    try {
      const packs = await packsIn(folder)
      count = packs.length
      if (count <= (this.#failed.get(gitDirectory) ?? 0)) return
      const those = decideMerge(packs)
      if (those.length > 0) await merge(folder, those)
      this.#failed.delete(gitDirectory)
    } catch (error) {
      // The mirror was removed meanwhile.
      if (isMissing(error)) return
      if (!this.#failed.has(gitDirectory))
        this.#warn(`the packs of ${gitDirectory} stay as they are: merging them failed: ${messageOf(error)}`)
      this.#failed.set(gitDirectory, count + maxPacks)
    }
  }
}

async function packsIn(folder: string): Promise<readonly PackOnDisk[]> {
  const names = new Set(await readdir(folder))
  const packs: PackOnDisk[] = []
  for (const indexName of names) {
    const name = indexName.replace(/\.idx$/, '')
    // What is marked with `.keep` somebody still works on.
    if (name === indexName || !names.has(`${name}.pack`) || names.has(`${name}.keep`)) continue
    const { size: bytes, mtimeMs } = await stat(join(folder, `${name}.pack`))
    const { size } = await stat(join(folder, indexName))
    packs.push({ name, bytes, objects: indexedObjects(size), writtenAtMs: mtimeMs })
  }
  return packs
}

async function merge(folder: string, packs: readonly PackOnDisk[]): Promise<void> {
  const path = join(folder, `${merging}1.pack`)
  const indexPath = join(folder, `${merging}1.index`)
  try {
    const paths = packs.map(({ name }) => join(folder, `${name}.pack`))
    const { checksum } = await aside('merging packs', { packs: paths, path, indexPath })
    const merged = `pack-${checksum}`
    await synced(indexPath)
    await rename(path, join(folder, `${merged}.pack`))
    await rename(indexPath, join(folder, `${merged}.idx`))
    await synced(folder)
    // One that held all that the others hold may be what they were made into.
    for (const { name } of packs) if (name !== merged) await removePack(folder, name)
  } finally {
    for (const each of [path, indexPath]) await rm(each, { force: true })
  }
}

async function removePack(folder: string, name: string): Promise<void> {
  for (const ending of ['.idx', ...besides, '.pack']) await rm(join(folder, `${name}${ending}`), { force: true })
}

/** What was written is on the disk, and not only on its way; folders cannot be asked for that everywhere. */
async function synced(path: string): Promise<void> {
  try {
    const file = await open(path, 'r')
    await file.sync().finally(() => file.close())
  } catch (error) {
    if (process.platform !== 'win32') throw error
  }
}

/** Removes what an earlier process left half done: no index names it. Called before the first fetch. */
export async function clearHalfDone(gitDirectory: string): Promise<void> {
  const folder = join(gitDirectory, 'objects/pack')
  const names = new Set(await readdir(folder).catch(() => []))
  for (const name of names) {
    const isLone = name.endsWith('.pack') && !names.has(name.replace(/pack$/, 'idx'))
    if (name.startsWith('tmp_') || isLone) await rm(join(folder, name), { force: true })
  }
}
