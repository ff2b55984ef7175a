// What the bytes of git's objects say. Pure.

import { GitTree, type TreeEntry } from './git-tree.ts'
import { SourceError } from './source-error.ts'

export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  readonly author: string
  /** Of its author. */
  readonly dateMs: number
  /** When it became a part of this history. */
  readonly committedMs: number
  readonly message: string
}

const space = 0x20
const idBytes = 20

/** Throws SourceError, for names too that could lead out of the folder. */
export function parseTree(id: string, bytes: Buffer): GitTree {
  const entries: TreeEntry[] = []
  let at = 0
  while (at < bytes.length) {
    const nameAt = bytes.indexOf(space, at) + 1
    const end = bytes.indexOf(0, nameAt)
    if (nameAt === 0 || end < 0 || end + idBytes >= bytes.length)
      throw new SourceError('Damaged', `object ${id} is not a whole tree`)
    const name = bytes.toString('utf8', nameAt, end)
    if (isUnsafe(name))
      throw new SourceError(
        'Damaged',
        `tree ${id} has an entry with the name ${JSON.stringify(name)}, which is not allowed`,
      )
    const mode = bytes.toString('latin1', at, nameAt - 1)
    const type = typeOf(mode)
    const entry = { name, type, id: bytes.toString('hex', end + 1, end + 1 + idBytes) }
    entries.push(type === 'blob' && isExecutable(mode) ? { ...entry, executable: true } : entry)
    at = end + 1 + idBytes
  }
  return new GitTree(entries)
}

/** The mode in octal digits says it: 40000, 120000, 160000, or one of a file. */
function typeOf(mode: string): TreeEntry['type'] {
  if (mode === '40000' || mode === '040000') return 'tree'
  if (mode === '120000') return 'symlink'
  return mode === '160000' ? 'submodule' : 'blob'
}

/** As git does: by the owner's bit. */
const isExecutable = (mode: string): boolean => (Number.parseInt(mode, 8) & 0o100) !== 0

/** Names that some file system takes for `.git`, for this folder or for the one above, or for a path. */
function isUnsafe(name: string): boolean {
  if (plainName.test(name)) return false
  const shown = name.replace(invisible, '').split(':')[0] ?? ''
  const plain = shown.toLowerCase().replace(/[. ]+$/, '')
  return /[\\/]/.test(name) || (plain === '' && shown !== '') || plain === '.git' || /^\.?git~[1-9]$/.test(plain)
}

/** Nearly all names: nothing in them has to be looked at closely. */
const plainName = /^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/
const invisible = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g

/** Undefined where no tree is named. */
export function parseCommit(id: string, bytes: Buffer): Commit | undefined {
  const text = bytes.toString('utf8')
  const end = text.indexOf('\n\n')
  const head = end < 0 ? text : text.slice(0, end)
  const tree = /^tree ([0-9a-f]{40})(?:\n|$)/.exec(head)?.[1]
  if (tree === undefined) return undefined
  const author = /^author (.*)$/m.exec(head)?.[1]
  const committer = /^committer (.*)$/m.exec(head)?.[1]
  const [, name = '', seconds = '0'] = signerLine.exec(author ?? committer ?? '') ?? []
  const [, , committed = seconds] = signerLine.exec(committer ?? '') ?? []
  const parents = [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].flatMap(([, parent]) => parent ?? [])
  const message =
    end < 0
      ? ''
      : text
          .slice(end + 2)
          .replaceAll('\r', '')
          .replace(/^\n+/, '')
  const [dateMs, committedMs] = [Number(seconds) * 1000, Number(committed) * 1000]
  return { id, tree, parents, author: name, dateMs, committedMs, message: message.trimEnd() }
}

const signerLine = /^(.*>) (-?\d+) [+-]\d+$/

/** The object that an annotated tag is of. */
export const taggedObject = (bytes: Buffer): string | undefined =>
  /^object ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 64))?.[1]
