// Brings a pack into a git directory: written to a file as it comes, indexed there, and given its names last, so that readers
// find all of it or nothing. What an earlier process left half done is removed.

import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackIndexer } from './packing/indexer.ts'

const arriving = 'tmp_arriving_'

export class PackArrival {
  readonly #folder: string
  readonly #indexer: PackIndexer
  #count = 0

  constructor(gitDirectory: string, indexer: PackIndexer) {
    this.#folder = join(gitDirectory, 'objects/pack')
    this.#indexer = indexer
  }

  /** `fill` is given what takes the bytes, one piece after another. */
  async bring(fill: (take: (bytes: Uint8Array) => Promise<void>) => Promise<void>): Promise<void> {
    this.#count += 1
    const isFirst = this.#count === 1
    const path = join(this.#folder, `${arriving}${this.#count}.pack`)
    const indexPath = `${path.slice(0, -'.pack'.length)}.index`
    await mkdir(this.#folder, { recursive: true })
    if (isFirst) await this.#clear()
    try {
      const bytes = await written(path, fill)
      const { objects, checksum } = await this.#indexer.index({ path, bytes, indexPath })
      if (objects === 0) return
      const name = join(this.#folder, `pack-${checksum}`)
      await rename(path, `${name}.pack`)
      await rename(indexPath, `${name}.idx`)
    } finally {
      for (const each of [path, indexPath]) await rm(each, { force: true })
    }
  }

  async #clear(): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (name.startsWith(arriving)) await rm(join(this.#folder, name), { force: true })
  }
}

const bufferBytes = 1024 * 1024

/** How many bytes the file has. */
async function written(
  path: string,
  fill: (take: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<number> {
  const file = await open(path, 'w', 0o600)
  const waiting: Uint8Array[] = []
  let [held, bytes] = [0, 0]
  const flush = async (): Promise<void> => {
    await file.writev(waiting.splice(0))
    held = 0
  }
  try {
    await fill(async (piece) => {
      waiting.push(piece)
      held += piece.length
      bytes += piece.length
      if (held >= bufferBytes) await flush()
    })
    if (held > 0) await flush()
  } finally {
    await file.close()
  }
  return bytes
}
