// The objects of one git directory by their ids, in packs and loose. Packs are looked for again when something is not found:
// others may have been written, or taken the place of those that were there.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate, inflateSync } from 'node:zlib'
import { isMissing } from './git-layout.ts'
import { Pack } from './pack.ts'
import { PackIndex } from './pack-index.ts'
import { limitOf, maxObjectBytes, type ObjectType, objectTypes, type RawObject, tooLarge } from './raw-object.ts'
import { messageOf, SourceError } from './source-error.ts'

const inlineBytes = 256 * 1024
/** Of one object; each but the first needs packs to be replaced meanwhile. */
const maxLookings = 5
const inflateAside = promisify(inflate)

interface OpenedPacks {
  readonly packs: ReadonlyMap<string, Pack>
  /** Not: one that was listed had gone when it was opened. */
  readonly isWhole: boolean
}

export class ObjectStore {
  readonly #home: string
  #packs: Promise<OpenedPacks> | undefined

  /** `home` is the git directory. */
  constructor(home: string) {
    this.#home = home
  }

  /** Frees what was kept of pack files, but for their indexes. */
  async forget(): Promise<void> {
    for (const pack of (await this.#packs)?.packs.values() ?? []) pack.forget()
  }

  /** Throws SourceError when it is there and cannot be read. */
  async find(id: string): Promise<RawObject | undefined> {
    const found = (await this.#inPacks(id)).object ?? (await this.#loose(id))
    if (found !== undefined) return found
    // Packs may be made into one while they are listed, opened and read.
    for (let times = 0; times < maxLookings; times += 1) {
      const isListWhole = await this.#lookForPacks()
      const { object, isWhole } = await this.#inPacks(id)
      if (object !== undefined || (isListWhole && isWhole)) return object
    }
    return undefined
  }

  /** Ids that begin so, at most two. */
  async beginningWith(prefix: string): Promise<readonly string[]> {
    await this.#lookForPacks()
    const folder = prefix.slice(0, 2)
    const loose = (await namesIn(join(this.#home, 'objects', folder))).map((name) => `${folder}${name}`)
    const packed = [...(await this.#all()).values()].flatMap(({ index }) => index.beginningWith(prefix))
    return [...new Set([...packed, ...loose.filter((id) => id.startsWith(prefix))])]
  }

  async #inPacks(id: string): Promise<{ readonly object: RawObject | undefined; readonly isWhole: boolean }> {
    const bytes = Buffer.from(id, 'hex')
    let isWhole = true
    for (const pack of (await this.#all()).values()) {
      const offset = pack.index.offsetOf(bytes)
      if (offset === undefined) continue
      try {
        return { object: await pack.at(offset), isWhole }
      } catch (error) {
        if (!isMissing(error)) throw error
        isWhole = false
      }
    }
    return { object: undefined, isWhole }
  }

  async #all(): Promise<ReadonlyMap<string, Pack>> {
    this.#packs ??= this.#open(new Map())
    return (await this.#opened(this.#packs)).packs
  }

  /** False: one that was listed had gone when it was opened. */
  async #lookForPacks(): Promise<boolean> {
    const opening = this.#all().then((known) => this.#open(known))
    this.#packs = opening
    return (await this.#opened(opening)).isWhole
  }

  /** What cannot be opened now is tried again later: a damaged mirror is fetched anew. */
  async #opened(opening: Promise<OpenedPacks>): Promise<OpenedPacks> {
    try {
      return await opening
    } catch (error) {
      if (this.#packs === opening) this.#packs = undefined
      throw error
    }
  }

  async #open(known: ReadonlyMap<string, Pack>): Promise<OpenedPacks> {
    const folder = join(this.#home, 'objects/pack')
    const packs = new Map<string, Pack>()
    let isWhole = true
    for (const name of (await namesIn(folder)).sort()) {
      if (!name.endsWith('.idx')) continue
      const path = join(folder, name)
      const pack = known.get(path) ?? (await openPack(path))
      if (pack === undefined) isWhole = false
      else packs.set(path, pack)
    }
    return { packs, isWhole }
  }

  async #loose(id: string): Promise<RawObject | undefined> {
    const path = join(this.#home, 'objects', id.slice(0, 2), id.slice(2))
    let deflated: Buffer
    try {
      deflated = await readFile(path)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    return looseObject(id, deflated)
  }
}

async function openPack(path: string): Promise<Pack | undefined> {
  try {
    return new Pack(path.replace(/idx$/, 'pack'), new PackIndex(await readFile(path), path))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** `type size`, a zero byte, and the object; deflated together. */
async function looseObject(id: string, deflated: Buffer): Promise<RawObject> {
  const options = { maxOutputLength: maxObjectBytes }
  let whole: Buffer
  try {
    whole = deflated.length > inlineBytes ? await inflateAside(deflated, options) : inflateSync(deflated, options)
  } catch (error) {
    throw damaged(id, messageOf(error))
  }
  const end = whole.indexOf(0)
  const [type = '', size = ''] = whole.toString('latin1', 0, Math.max(end, 0)).split(' ')
  if (!objectTypes.has(type) || Number(size) !== whole.length - end - 1) throw damaged(id, 'it does not say what it is')
  if (createHash('sha1').update(whole).digest('hex') !== id) throw damaged(id, 'its content does not have this id')
  const limit = limitOf(type as ObjectType)
  if (Number(size) > limit) throw tooLarge(Number(size), limit)
  return { type: type as ObjectType, bytes: whole.subarray(end + 1) }
}

const damaged = (id: string, why: string): SourceError =>
  new SourceError('Damaged', `cannot read the repository's objects: ${id}: ${why}`)
