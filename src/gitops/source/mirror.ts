// One bare mirror on disk of one remote. The refs that are answered are those of the last
// fetch that arrived whole: they are recorded beside the mirror only after all objects are there, so a fetch that broke
// off, or a daemon that was killed, leaves the last good state.

import { createHash } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOptional } from './git-layout.ts'
import type { GitObjects } from './git-objects.ts'
import { clearHalfDone, type PackUpkeep } from './pack-upkeep.ts'
import { isSameTable, type RefTable } from './refs.ts'
import { isLess, readShallow, writeShallow } from './shallow.ts'
import { reachedEnds } from './shallow-ends.ts'
import { SourceError } from './source-error.ts'
import type { Transport } from './transport.ts'

export interface MirrorOptions {
  /** Without credentials. */
  readonly url: string
  readonly transport: Transport
  /** Folder of all mirrors. */
  readonly directory: string
  readonly upkeep: PackUpkeep
}

/** So many ends of history may be told that none are, until they are looked through. */
const idleEnds = 50
const recordName = 'homeostat-refs.json'

interface Recorded {
  readonly head?: string
  readonly refs: Readonly<Record<string, string>>
  readonly depth?: number
}

export class Mirror {
  readonly gitDirectory: string
  readonly #options: MirrorOptions
  #depth: number | undefined
  #last: Promise<unknown> | undefined
  #maxEnds = idleEnds

  constructor(options: MirrorOptions) {
    this.#options = options
    const slug = options.url
      .replace(/^[a-z]+:\/\//, '')
      .replace(/[^A-Za-z0-9.-]+/g, '-')
      .slice(0, 80)
    const digest = createHash('sha256').update(options.url).digest('hex').slice(0, 12)
    this.gitDirectory = join(options.directory, `${slug}-${digest}.git`)
  }

  /** How many commits of each history are here at least; undefined: all. */
  get depth(): number | undefined {
    return this.#depth
  }

  /** The refs of the last whole fetch; undefined when there was none yet. */
  async recorded(): Promise<RefTable | undefined> {
    const text = await readOptional(join(this.gitDirectory, recordName))
    if (text === undefined) return undefined
    try {
      const record = JSON.parse(text) as Recorded
      this.#depth = record.depth
      return { head: record.head, refs: new Map(Object.entries(record.refs)) }
    } catch {
      return undefined
    }
  }

  /** Brings the mirror up to date: one short request when nothing moved, a fetch of what is new otherwise. */
  fetch(last: RefTable | undefined): Promise<RefTable> {
    return this.#inTurn(() => this.#fetch(last))
  }

  async #fetch(last: RefTable | undefined): Promise<RefTable> {
    const { transport } = this.#options
    try {
      const depth = transport.depth()
      const now = await transport.listRefs()
      const deeper = last !== undefined && isLess(this.#depth, depth)
      if (last !== undefined && isSameTable(last, now) && !deeper) return last
      // What was not recorded did not arrive whole.
      if (last === undefined) await this.discard()
      await this.#prepare()
      const table = now.refs.size > 0 ? await transport.download(this.gitDirectory, { table: now, last, deeper }) : now
      await this.#record(table, depth)
      this.#depth = depth
      return table
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** False: the remote does not give it out, or cannot be asked. */
  async fetchCommit(id: string, last: RefTable): Promise<boolean> {
    try {
      await this.#inTurn(() => this.#options.transport.downloadCommit(this.gitDirectory, id, last))
      return true
    } catch {
      return false
    }
  }

  /** What a mirror gathers with each fetch is kept small. Packs are made into one beside the fetches that follow. Never throws. */
  async keep(objects: GitObjects, table: RefTable): Promise<void> {
    await this.#inTurn(() => this.#forgetEnds(objects, table)).catch(() => undefined)
    await this.#options.upkeep.keep(this.gitDirectory)
  }

  async #forgetEnds(objects: GitObjects, table: RefTable): Promise<void> {
    const ends = new Set(await readShallow(this.gitDirectory))
    if (ends.size <= this.#maxEnds) return
    const reached = (await reachedEnds(objects, table, ends)) ?? ends
    if (reached.size < ends.size) await writeShallow(this.gitDirectory, reached)
    this.#maxEnds = 2 * reached.size + idleEnds
  }

  /** Each fetch begins with what the one before it has said of the end of history. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#last ??= clearHalfDone(this.gitDirectory)
    const next = this.#last.catch(() => undefined).then(work)
    this.#last = next
    return next
  }

  /** What makes a folder a bare repository, for git too. */
  async #prepare(): Promise<void> {
    for (const folder of ['objects/pack', 'refs/heads'])
      await mkdir(join(this.gitDirectory, folder), { recursive: true })
    const config = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'
    for (const [name, text] of Object.entries({ config, HEAD: 'ref: refs/heads/main\n' }))
      await writeFile(join(this.gitDirectory, name), text)
  }

  async #record(table: RefTable, depth: number | undefined): Promise<void> {
    const path = join(this.gitDirectory, recordName)
    await mkdir(this.gitDirectory, { recursive: true })
    const record = { head: table.head, refs: Object.fromEntries(table.refs), depth }
    await writeFile(`${path}.new`, JSON.stringify(record))
    await rename(`${path}.new`, path)
  }

  /** Removes a mirror whose objects cannot be read, so that the next fetch starts anew. */
  async discard(): Promise<void> {
    await rm(this.gitDirectory, { recursive: true, force: true })
  }

  #explain(error: unknown): SourceError {
    if (error instanceof SourceError) return error
    const { url, transport } = this.#options
    return new SourceError('Unreachable', `git fetch ${url}: ${transport.explain(error)}`)
  }
}
