// The refs of a repository at one moment, read from disk: HEAD, branches, tags and remote branches. A pure value once
// read, so that resolving a revision for many applications costs no I/O.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type GitLayout, isMissing, readOptional } from './git-layout.ts'

export interface RefTable {
  /** Commit that HEAD names; undefined in a repository without commits. */
  readonly head: string | undefined
  /** Full ref name, as `refs/heads/main`, to object id (of the tag object, for an annotated tag). */
  readonly refs: ReadonlyMap<string, string>
  /** What a name means that is none of them; absent: nothing. */
  readonly otherwise?: string
}

export const tagPrefix = 'refs/tags/'

const maxRefs = 200_000
const objectId = /^[0-9a-f]{40}$/

export async function readRefs(layout: Pick<GitLayout, 'gitDirectory' | 'commonDirectory'>): Promise<RefTable> {
  const refs = new Map<string, string>()
  readPacked((await readOptional(join(layout.commonDirectory, 'packed-refs'))) ?? '', refs)
  const links = new Map<string, string>()
  await readLoose(layout.commonDirectory, 'refs', { refs, links })
  for (const [name, target] of links) {
    const id = refs.get(target)
    if (id !== undefined) refs.set(name, id)
  }
  const text = ((await readOptional(join(layout.gitDirectory, 'HEAD'))) ?? '').trim()
  const target = /^ref: (.+)$/.exec(text)?.[1]
  const head = target === undefined ? (objectId.test(text) ? text : undefined) : refs.get(target.trim())
  return { head, refs }
}

function readPacked(text: string, refs: Map<string, string>): void {
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ')
    if (space !== 40 || refs.size >= maxRefs) continue
    refs.set(line.slice(41).trim(), line.slice(0, 40))
  }
}

async function readLoose(
  root: string,
  folder: string,
  into: { readonly refs: Map<string, string>; readonly links: Map<string, string> },
): Promise<void> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(noEntries)) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) {
      await readLoose(root, name, into)
    } else if (entry.isFile() && !name.endsWith('.lock') && into.refs.size < maxRefs) {
      const text = (await readFile(join(root, name), 'utf8').catch(emptyText)).trim()
      if (objectId.test(text)) into.refs.set(name, text)
      else if (text.startsWith('ref: ')) into.links.set(name, text.slice(5).trim())
    }
  }
}

// A ref may be deleted or packed between listing and reading: then it is in packed-refs or gone.
function noEntries(error: unknown): [] {
  if (isMissing(error)) return []
  throw error
}

function emptyText(error: unknown): string {
  if (isMissing(error)) return ''
  throw error
}

/** The object that a branch or tag name stands for. A branch wins over a tag of the same name, as in Argo CD. */
export function lookUpRef(table: RefTable, name: string): string | undefined {
  const candidates = name.startsWith('refs/')
    ? [name]
    : [`refs/heads/${name}`, `refs/tags/${name}`, `refs/remotes/origin/${name}`, `refs/remotes/${name}`]
  for (const candidate of candidates) {
    const id = table.refs.get(candidate)
    if (id !== undefined) return id
  }
  return undefined
}

export function isSameTable(a: RefTable, b: RefTable): boolean {
  if (a.head !== b.head || a.otherwise !== b.otherwise || a.refs.size !== b.refs.size) return false
  for (const [name, id] of a.refs) if (b.refs.get(name) !== id) return false
  return true
}
