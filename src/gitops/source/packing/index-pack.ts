// Makes the index of a pack that has arrived: git's own, of version 2. The pack is read twice and never held; memory goes with
// the number of its objects, and with the largest that is kept as a delta.

import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { SourceError } from '../source-error.ts'
import { idBytes, type ObjectTable } from './object-table.ts'
import { PackFile, trailerBytes } from './pack-file.ts'
import { resolveDeltas } from './resolve-deltas.ts'
import { scanPack } from './scan.ts'

/** Offsets have 31 bits; what is longer is not taken from a remote anyway. */
const maxPackBytes = 2 ** 31 - 1

export interface IndexRequest {
  /** Of the pack. */
  readonly path: string
  /** What is written. */
  readonly indexPath: string
  /** What may be inflated in all. */
  readonly maxInflatedBytes: number
}

export interface Indexed {
  readonly objects: number
  /** In hexadecimal: names the pack. */
  readonly checksum: string
}

/** Throws SourceError for what is no whole pack. */
export async function indexPack({ path, indexPath, maxInflatedBytes }: IndexRequest): Promise<Indexed> {
  const pack = new PackFile(path)
  try {
    if (pack.end < 12) throw new SourceError('Damaged', 'the pack that the remote sent is too short for one')
    if (pack.end > maxPackBytes - trailerBytes)
      throw new SourceError('TooLarge', `the remote sent a pack of more than ${maxPackBytes} bytes`)
    const allowance = { bytes: maxInflatedBytes }
    const scan = await scanPack(pack, allowance)
    const checksum = pack.checksum()
    resolveDeltas(pack, scan, allowance)
    writeFileSync(indexPath, indexOf(scan.table, checksum))
    return { objects: scan.table.count, checksum: checksum.toString('hex') }
  } finally {
    pack.close()
  }
}

function indexOf(table: ObjectTable, packChecksum: Buffer): Buffer {
  const { count, ids, crcs, offsets } = table
  const order = new Uint32Array(count).map((_, place) => place)
  order.sort((a, b) => ids.compare(ids, b * idBytes, (b + 1) * idBytes, a * idBytes, (a + 1) * idBytes))
  const bytes = Buffer.alloc(8 + 256 * 4 + count * (idBytes + 8) + 2 * trailerBytes)
  bytes.writeUInt32BE(0xff744f63, 0)
  bytes.writeUInt32BE(2, 4)
  const idsAt = 8 + 256 * 4
  const crcsAt = idsAt + count * idBytes
  const offsetsAt = crcsAt + count * 4
  const upTo = new Uint32Array(256)
  for (const [rank, place] of order.entries()) {
    ids.copy(bytes, idsAt + rank * idBytes, place * idBytes, (place + 1) * idBytes)
    bytes.writeUInt32BE(crcs[place] ?? 0, crcsAt + rank * 4)
    bytes.writeUInt32BE(offsets[place] ?? 0, offsetsAt + rank * 4)
    upTo[ids[place * idBytes] ?? 0] = rank + 1
  }
  let below = 0
  for (const [first, rank] of upTo.entries()) {
    below = Math.max(below, rank)
    bytes.writeUInt32BE(below, 8 + first * 4)
  }
  const end = bytes.length - 2 * trailerBytes
  packChecksum.copy(bytes, end)
  const own = createHash('sha1')
    .update(bytes.subarray(0, end + trailerBytes))
    .digest()
  own.copy(bytes, end + trailerBytes)
  return bytes
}
