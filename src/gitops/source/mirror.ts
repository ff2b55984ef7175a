// One bare mirror on disk of one remote. The refs that are answered are those of the last
// fetch that arrived whole: they are recorded beside the mirror only after all objects are there, so a fetch that broke
// off, or a daemon that was killed, leaves the last good state.

import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as git from 'isomorphic-git'
import { readOptional } from './git-layout.ts'
import { type RefTable, readRefs } from './refs.ts'
import { SourceError } from './source-error.ts'
import type { Transport } from './transport.ts'

export interface MirrorOptions {
  /** Without credentials. */
  readonly url: string
  readonly transport: Transport
  /** Folder of all mirrors. */
  readonly directory: string
}

const remote = 'origin'
const recordName = 'homeostat-refs.json'

export class Mirror {
  readonly gitDirectory: string
  readonly #options: MirrorOptions

  constructor(options: MirrorOptions) {
    this.#options = options
    const slug = options.url
      .replace(/^[a-z]+:\/\//, '')
      .replace(/[^A-Za-z0-9.-]+/g, '-')
      .slice(0, 80)
    const digest = createHash('sha256').update(options.url).digest('hex').slice(0, 12)
    this.gitDirectory = join(options.directory, `${slug}-${digest}.git`)
  }

  /** The refs of the last whole fetch; undefined when there was none yet. */
  async recorded(): Promise<RefTable | undefined> {
    const text = await readOptional(join(this.gitDirectory, recordName))
    if (text === undefined) return undefined
    try {
      const record = JSON.parse(text) as { readonly head?: string; readonly refs: Readonly<Record<string, string>> }
      return { head: record.head, refs: new Map(Object.entries(record.refs)) }
    } catch {
      return undefined
    }
  }

  /** Brings the mirror up to date: one short request when nothing moved, a fetch of what is new otherwise. */
  async fetch(last: RefTable | undefined): Promise<RefTable> {
    try {
      const now = await this.#options.transport.listRefs()
      if (last !== undefined && isSame(last, now)) return last
      await this.#prepare()
      if (now.refs.size > 0) await this.#options.transport.download(this.gitDirectory, now)
      const table = now.refs.size > 0 ? await this.#fetchedRefs() : now
      await this.#record(table)
      return table
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** False: the remote does not give it out, or cannot be asked. */
  async fetchCommit(id: string): Promise<boolean> {
    try {
      await this.#options.transport.downloadCommit(this.gitDirectory, id)
      return true
    } catch {
      return false
    }
  }

  async #prepare(): Promise<void> {
    const gitdir = this.gitDirectory
    await mkdir(gitdir, { recursive: true })
    await git.init({ fs, gitdir, bare: true, defaultBranch: 'main' })
    await git.addRemote({ fs, gitdir, remote, url: this.#options.url, force: true })
  }

  /** What the fetch wrote: remote branches become branches, and the remote's HEAD is HEAD. */
  async #fetchedRefs(): Promise<RefTable> {
    const written = await readRefs({ gitDirectory: this.gitDirectory, commonDirectory: this.gitDirectory })
    const prefix = `refs/remotes/${remote}/`
    const refs = new Map<string, string>()
    let head: string | undefined
    for (const [name, id] of written.refs) {
      if (name === `${prefix}HEAD`) head = id
      else if (name.startsWith(prefix)) refs.set(`refs/heads/${name.slice(prefix.length)}`, id)
      else if (name.startsWith('refs/tags/')) refs.set(name, id)
    }
    return { head, refs }
  }

  async #record(table: RefTable): Promise<void> {
    const path = join(this.gitDirectory, recordName)
    await mkdir(this.gitDirectory, { recursive: true })
    await writeFile(`${path}.new`, JSON.stringify({ head: table.head, refs: Object.fromEntries(table.refs) }))
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

function isSame(a: RefTable, b: RefTable): boolean {
  if (a.head !== b.head || a.refs.size !== b.refs.size) return false
  for (const [name, id] of b.refs) if (a.refs.get(name) !== id) return false
  return true
}
