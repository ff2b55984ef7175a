// A look at the database file before LMDB maps it into memory: what is no database, or only a part of one, would end the
// process there without a word. Reads the two meta pages at its begin; the newer one that fits the file counts.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const magic = 0xbeefc0de
const metaBytes = 0xa0
/** Offsets within a page (64 bit, little endian): a header of 24 bytes, then the meta record. */
const at = { magic: 0x18, pageSize: 0x30, lastPage: 0x90 } as const
/** Page sizes are powers of two; the second meta page stands one page behind the first. */
const pageSizes = [4096, 8192, 16384, 32768, 65536]

/** Why a file cannot be opened; undefined when it may be, also when it is not there or empty. */
export function databaseFault(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return undefined
  }
  try {
    const { size } = fstatSync(file)
    if (size === 0) return undefined
    const metas = [0, ...pageSizes].flatMap((offset) => readMeta(file, offset) ?? [])
    if (metas.length === 0) return 'it is no database'
    return metas.some(({ pageSize, lastPage }) => (lastPage + 1) * pageSize <= size) ? undefined : 'its end is missing'
  } finally {
    closeSync(file)
  }
}

function readMeta(file: number, offset: number): { readonly pageSize: number; readonly lastPage: number } | undefined {
  const bytes = Buffer.alloc(metaBytes)
  if (readSync(file, bytes, 0, metaBytes, offset) < metaBytes) return undefined
  if (bytes.readUInt32LE(at.magic) !== magic) return undefined
  return { pageSize: bytes.readUInt32LE(at.pageSize), lastPage: Number(bytes.readBigUInt64LE(at.lastPage)) }
}
