// The first way through a pack, from its beginning to its end: where its objects are, what they are made of, and the ids of
// those that are whole.

import { createHash } from 'node:crypto'
import { maxObjectBytes } from '../raw-object.ts'
import { SourceError } from '../source-error.ts'
import { type EntryHeader, headerBytes, idDelta, offsetDelta, readDistance, readHeader, wholeTypes } from './entry.ts'
import { idBytes, ObjectTable } from './object-table.ts'
import type { PackFile } from './pack-file.ts'

/** What is larger is not held, only hashed. */
const heldBytes = 8 * 1024 * 1024

export interface Scan {
  readonly table: ObjectTable
  /** By the id of what they are made of, in hexadecimal: places of those that name it so. */
  readonly byBaseId: Map<string, number[]>
}

/** What may be inflated in all; more throws `TooLarge`. */
export interface Allowance {
  bytes: number
}

export async function scanPack(pack: PackFile, allowance: Allowance): Promise<Scan> {
  const start = pack.bytes(0, 12)
  const isPack = start.length === 12 && start.toString('latin1', 0, 4) === 'PACK'
  if (!isPack || ![2, 3].includes(start.readUInt32BE(4)))
    throw new SourceError('Damaged', 'what the remote sent is no pack of version 2 or 3')
  const table = new ObjectTable(start.readUInt32BE(8), pack.end)
  const byBaseId = new Map<string, number[]>()
  let offset = 12
  for (let place = 0; place < table.count; place += 1) {
    table.offsets[place] = offset
    const header = headerAt(pack, offset)
    const { type, size } = header
    table.types[place] = type
    table.sizes[place] = size
    let data = offset + header.length
    if (type === offsetDelta) {
      const { base, length } = offsetBase(pack, { table, place, offset, data })
      table.addChild(base, place)
      data += length
    } else if (type === idDelta) {
      const base = pack.bytes(data, idBytes).toString('hex')
      const those = byBaseId.get(base)
      if (those === undefined) byBaseId.set(base, [place])
      else those.push(place)
      data += idBytes
    }
    table.dataOffsets[place] = data
    allowance.bytes -= size
    if (allowance.bytes < 0) throw new SourceError('TooLarge', 'the pack that the remote sent holds too much')
    const end = await read(pack, { table, place, data })
    if (end > pack.end) throw pack.damaged(offset, 'it goes on behind the end of the pack')
    table.crcs[place] = pack.crc(offset, end)
    offset = end
  }
  if (offset !== pack.end) throw pack.damaged(offset, 'more follows than the pack says')
  table.offsets[table.count] = offset
  return { table, byBaseId }
}

function headerAt(pack: PackFile, offset: number): EntryHeader {
  const header = readHeader(pack.bytes(offset, headerBytes))
  if (offset + header.length > pack.end) throw pack.damaged(offset, 'the pack ends too early')
  if (!wholeTypes.has(header.type) && header.type !== offsetDelta && header.type !== idDelta)
    throw pack.damaged(offset, `it is of type ${header.type}`)
  return header
}

interface Reading {
  readonly table: ObjectTable
  readonly place: number
  readonly data: number
}

function offsetBase(
  pack: PackFile,
  { table, place, offset, data }: Reading & { readonly offset: number },
): { readonly base: number; readonly length: number } {
  const { distance, length } = readDistance(pack.bytes(data, headerBytes))
  const base = table.at(offset - distance, place)
  if (base === undefined) throw pack.damaged(offset, 'its base is no object of the pack')
  return { base, length }
}

/** Answers where the object ends. */
async function read(pack: PackFile, { table, place, data }: Reading): Promise<number> {
  const size = table.sizes[place] ?? 0
  const type = wholeTypes.get(table.types[place] ?? 0)
  if (type === undefined) {
    if (size > maxObjectBytes) throw tooLargeDelta(size)
    return pack.inflate(data, size).end
  }
  const hash = createHash('sha1').update(`${type} ${size}\0`)
  let end: number
  if (size > heldBytes) end = await pack.inflateLarge(data, size, (piece) => hash.update(piece))
  else {
    const inflated = pack.inflate(data, size)
    hash.update(inflated.bytes)
    end = inflated.end
  }
  hash.digest().copy(table.ids, place * idBytes)
  return end
}

export const tooLargeDelta = (size: number): SourceError =>
  new SourceError(
    'TooLarge',
    `the remote sent an object of ${size} bytes as a delta, more than the limit of ${maxObjectBytes} bytes`,
  )
