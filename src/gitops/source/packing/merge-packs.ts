// Makes one pack of several: each object once, deflated as it lies there. Every pack stands for itself, and what is written says
// how far before it the one lies that it is made of: so no objects are made of one another in a circle, whatever the packs hold.
// In the end the merged pack is read whole and indexed, like one that arrived: it holds what the others hold, or nothing is changed.

import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { PackIndex } from '../pack-index.ts'
import { SourceError } from '../source-error.ts'
import { distanceOf, headerOf, offsetDelta, wholeTypes } from './entry.ts'
import { type Indexed, indexPack } from './index-pack.ts'
import { MergedObjects } from './merged-objects.ts'
import { PackWriter } from './pack-writer.ts'
import { type SourceEntry, SourcePack } from './source-pack.ts'

export interface MergeRequest {
  /** Paths of packs, the oldest first; their indexes lie beside them. */
  readonly packs: readonly string[]
  /** What is written. */
  readonly path: string
  readonly indexPath: string
}

/** What is made of an object of another pack is written whole where that is made of so many already, as git does. */
const maxJoinedDepth = 50

/** Throws SourceError, and RangeError for what does not fit together. */
export async function mergePacks({ packs, path, indexPath }: MergeRequest): Promise<Indexed> {
  const indexes = packs.map((pack) => readIndex(pack))
  const objects = new MergedObjects(indexes)
  const writer = new PackWriter(path, objects.count)
  try {
    for (const [at, index] of indexes.entries()) {
      const source = new SourcePack(packs[at] ?? '', index)
      try {
        addAll(source, objects, writer)
      } finally {
        source.close()
      }
    }
    writer.end()
  } finally {
    writer.close()
  }
  const indexed = await indexPack({ path, indexPath, maxInflatedBytes: Number.MAX_SAFE_INTEGER })
  if (!readIndex(indexPath).ids.equals(objects.ids))
    throw new SourceError('Damaged', 'the merged pack does not hold what the others hold')
  return indexed
}

function readIndex(path: string): PackIndex {
  const indexPath = path.replace(/\.pack$/, '.idx')
  return new PackIndex(readFileSync(indexPath), indexPath)
}

/** In the order in which they lie there. What names its base by an id may lie before it: such ones wait for another round. */
function addAll(source: SourcePack, objects: MergedObjects, writer: PackWriter): void {
  const from = writer.offset
  let waiting = source.places()
  while (waiting.length > 0) {
    const left = waiting.filter((place) => !add(source.entry(place), { source, objects, writer, from }))
    if (left.length === waiting.length)
      throw new RangeError(`${left.length} objects of ${source.path} are made of one another`)
    waiting = left
  }
}

interface Merge {
  readonly source: SourcePack
  readonly objects: MergedObjects
  readonly writer: PackWriter
  /** Where the merged pack has what was taken of this one. */
  readonly from: number
}

/** False: what it is made of is not written yet. */
function add(entry: SourceEntry, { source, objects, writer, from }: Merge): boolean {
  const own = objects.place(entry.id)
  if (objects.isWritten(own)) return true
  const { offset } = writer
  if (entry.base === undefined) {
    source.copy(entry.start, entry.end, writer)
    objects.write(own, { offset, depth: 0 })
    return true
  }
  const base = objects.place(entry.base)
  if (!objects.isWritten(base)) return false
  const depth = objects.depth(base) + 1
  if (depth > maxJoinedDepth && objects.offset(base) < from) {
    const { type, bytes } = source.whole(entry)
    writer.add(headerOf(numberOf(type), bytes.length))
    writer.add(deflateSync(bytes))
    objects.write(own, { offset, depth: 0 })
  } else {
    writer.add(headerOf(offsetDelta, entry.size))
    writer.add(distanceOf(offset - objects.offset(base)))
    source.copy(entry.content, entry.end, writer)
    objects.write(own, { offset, depth })
  }
  return true
}

const numberOf = (type: string): number => [...wholeTypes].find(([, name]) => name === type)?.[0] ?? 0
