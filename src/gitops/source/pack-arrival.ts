// Brings a pack into a git directory: written to a file as it comes, indexed there, and given its names last, so that readers
// find all of it or nothing.

import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackIndexer } from './packing/indexer.ts'

export class PackArrival {
  readonly #folder: string
  readonly #indexer: PackIndexer
  #count = 0

  constructor(gitDirectory: string, indexer: PackIndexer) {
    this.#folder = join(gitDirectory, 'objects/pack')
    this.#indexer = indexer
  }

  /** `fill` is given what takes the bytes, one piece after another; what it answers is handed on when the pack is in place. */
  async bring<T>(fill: Fill<T>): Promise<T> {
    this.#count += 1
    const path = join(this.#folder, `tmp_arriving_${this.#count}.pack`)
    const indexPath = `${path.slice(0, -'.pack'.length)}.index`
    await mkdir(this.#folder, { recursive: true })
    try {
      const { bytes, filled } = await written(path, fill)
      const { objects, checksum } = await this.#indexer.index({ path, bytes, indexPath })
      if (objects === 0) return filled
      const name = join(this.#folder, `pack-${checksum}`)
      await rename(path, `${name}.pack`)
      await rename(indexPath, `${name}.idx`)
      return filled
    } finally {
      for (const each of [path, indexPath]) await rm(each, { force: true })
    }
  }
}

const bufferBytes = 1024 * 1024

type Fill<T> = (take: (bytes: Uint8Array) => Promise<void>) => Promise<T>

/** How many bytes the file has, and what `fill` has answered. */
async function written<T>(path: string, fill: Fill<T>): Promise<{ readonly bytes: number; readonly filled: T }> {
  const file = await open(path, 'w', 0o600)
  const waiting: Uint8Array[] = []
  let [held, bytes] = [0, 0]
  const flush = async (): Promise<void> => {
    await file.writev(waiting.splice(0))
    held = 0
  }
  try {
    const filled = await fill(async (piece) => {
      waiting.push(piece)
      held += piece.length
      bytes += piece.length
      if (held >= bufferBytes) await flush()
    })
    if (held > 0) await flush()
    return { bytes, filled }
  } finally {
    await file.close()
  }
}
