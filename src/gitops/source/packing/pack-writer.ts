// Writes a pack from its beginning to its end, and its checksum behind it. Synchronous, for a thread of its own.

import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

const bufferBytes = 1024 * 1024

export class PackWriter {
  readonly #file: number
  readonly #hash = createHash('sha1')
  readonly #buffer = Buffer.allocUnsafe(bufferBytes)
  #filled = 0
  #written = 0

  constructor(path: string, objects: number) {
    this.#file = openSync(path, 'w', 0o600)
    const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
    head.writeUInt32BE(objects, 8)
    this.add(head)
  }

  /** Where the next bytes go. */
  get offset(): number {
    return this.#written + this.#filled
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const copied = bytes.copy(this.#buffer, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled === bufferBytes) this.#flush()
    }
  }

  /** All is on the disk when it returns. */
  end(): void {
    this.#flush()
    writeWhole(this.#file, this.#hash.digest())
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }

  #flush(): void {
    const bytes = this.#buffer.subarray(0, this.#filled)
    this.#hash.update(bytes)
    writeWhole(this.#file, bytes)
    this.#written += this.#filled
    this.#filled = 0
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}
