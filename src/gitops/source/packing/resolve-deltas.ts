// The second way through a pack: the ids of the objects that are made of others. Each is made on the way down from what is
// whole, depth first. What was made is kept within a limit; what had to go is made again when the next child needs it.

import { createHash } from 'node:crypto'
import { applyDelta } from '../delta.ts'
import { maxObjectBytes } from '../raw-object.ts'
import { SourceError } from '../source-error.ts'
import { maxDepth, wholeTypes } from './entry.ts'
import { idBytes, type ObjectTable } from './object-table.ts'
import type { PackFile } from './pack-file.ts'
import { type Allowance, type Scan, tooLargeDelta } from './scan.ts'

const keptBytes = 96 * 1024 * 1024

/** An object on the way down, and what it is when it is kept. */
interface Step {
  readonly place: number
  bytes: Buffer | undefined
}

export function resolveDeltas(pack: PackFile, { table, byBaseId }: Scan, allowance: Allowance): void {
  let resolved = 0
  for (let place = 0; place < table.count; place += 1) {
    const type = wholeTypes.get(table.types[place] ?? 0)
    if (type === undefined) continue
    resolved += 1
    adopt(table, byBaseId, place)
    if (table.hasChildren(place)) resolved += new Descent(pack, { table, byBaseId, type, allowance }).from(place)
  }
  if (resolved < table.count)
    throw new SourceError(
      'Damaged',
      `${table.count - resolved} objects that the remote sent are made of ones that it did not send`,
    )
}

/** Those that name their base by its id. Once: the same object may lie in a pack twice. */
function adopt(table: ObjectTable, byBaseId: Scan['byBaseId'], place: number): void {
  if (byBaseId.size === 0) return
  const id = table.id(place).toString('hex')
  for (const child of byBaseId.get(id) ?? []) table.addChild(place, child)
  byBaseId.delete(id)
}

interface Family {
  readonly table: ObjectTable
  readonly byBaseId: Scan['byBaseId']
  /** Of the whole object, and so of all that are made of it. */
  readonly type: string
  readonly allowance: Allowance
}

class Descent {
  readonly #pack: PackFile
  readonly #family: Family
  readonly #steps: Step[] = []
  #kept = 0

  constructor(pack: PackFile, family: Family) {
    this.#pack = pack
    this.#family = family
  }

  /** Answers how many were made. */
  from(root: number): number {
    const { table, byBaseId } = this.#family
    let made = 0
    this.#steps.push({ place: root, bytes: undefined })
    for (let step = this.#steps.at(-1); step !== undefined; step = this.#steps.at(-1)) {
      const child = table.takeChild(step.place)
      if (child === undefined) {
        this.#steps.pop()
        this.#drop(step)
        continue
      }
      if (this.#steps.length > maxDepth) throw this.#pack.damaged(table.offsets[child] ?? 0, 'its deltas do not end')
      const base = this.#bytesOf(this.#steps.length - 1)
      // Its last child: nobody needs it any more.
      if (!table.hasChildren(step.place)) this.#drop(step)
      const bytes = this.#apply(base, child)
      this.#name(child, bytes)
      made += 1
      adopt(table, byBaseId, child)
      if (table.hasChildren(child)) this.#keep({ place: child, bytes: undefined }, bytes)
    }
    return made
  }

  #keep(step: Step, bytes: Buffer): void {
    this.#steps.push(step)
    this.#hold(step, bytes)
  }

  #hold(step: Step, bytes: Buffer): void {
    step.bytes = bytes
    this.#kept += bytes.length
    for (const each of this.#steps) {
      if (this.#kept <= keptBytes) return
      if (each !== step) this.#drop(each)
    }
  }

  #drop(step: Step): void {
    this.#kept -= step.bytes?.length ?? 0
    step.bytes = undefined
  }

  /** Made again from the nearest above it that is kept. */
  #bytesOf(depth: number): Buffer {
    let from = depth
    while (from > 0 && this.#steps[from]?.bytes === undefined) from -= 1
    let bytes = this.#steps[from]?.bytes ?? this.#whole(this.#steps[0]?.place ?? 0)
    for (let each = from + 1; each <= depth; each += 1) bytes = this.#apply(bytes, this.#steps[each]?.place ?? 0)
    const step = this.#steps[depth]
    if (step !== undefined && step.bytes === undefined) this.#hold(step, bytes)
    return bytes
  }

  #whole(place: number): Buffer {
    const { table } = this.#family
    const size = table.sizes[place] ?? 0
    if (size > maxObjectBytes) throw tooLargeDelta(size)
    return this.#pack.inflate(table.dataOffsets[place] ?? 0, size).bytes
  }

  #apply(base: Buffer, place: number): Buffer {
    const { table, allowance } = this.#family
    const delta = this.#pack.inflate(table.dataOffsets[place] ?? 0, table.sizes[place] ?? 0).bytes
    let bytes: Buffer
    try {
      bytes = applyDelta(base, delta, maxObjectBytes)
    } catch (error) {
      if (error instanceof RangeError) throw this.#pack.damaged(table.offsets[place] ?? 0, error.message)
      throw error
    }
    allowance.bytes -= bytes.length
    if (allowance.bytes < 0) throw new SourceError('TooLarge', 'the pack that the remote sent holds too much')
    return bytes
  }

  #name(place: number, bytes: Buffer): void {
    const { table, type } = this.#family
    const hash = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes)
    hash.digest().copy(table.ids, place * idBytes)
  }
}
