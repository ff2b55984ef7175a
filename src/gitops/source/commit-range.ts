// The two commits that somebody wants compared, as git names commits. Where only the newer one is said, the older one is
// where its branch has left the default branch, which is what a pull request shows.

import { dirname, relative } from 'node:path'
import type { World } from '#world'
import { findRepository, kindOf } from './git-layout.ts'
import { GitObjects } from './git-objects.ts'
import { mergeBase } from './history.ts'
import type { Commit } from './parse-object.ts'
import { readRefs } from './refs.ts'
import { type ResolveParts, resolveRevision } from './resolve.ts'
import { SourceError } from './source-error.ts'

export interface RangeWish {
  /** Of the repository: absolute. */
  readonly path: string
  readonly from?: string
  /** Default: HEAD. */
  readonly to?: string
  /** What is compared are the uncommitted files on top of `to`. */
  readonly worktree: boolean
}

export interface NamedCommit {
  readonly id: string
  /** How it was found: `v1.2`, `merge base with origin/main`. */
  readonly name: string
  /** First line of its message. */
  readonly subject: string
}

export interface CommitRange {
  readonly from: NamedCommit
  readonly to: NamedCommit
}

interface Repository {
  readonly path: string
  readonly parts: ResolveParts
}

/** Throws SourceError. */
export async function readCommitRange(world: World, wish: RangeWish): Promise<CommitRange> {
  const repository = await open(world, wish.path)
  const toName = wish.to ?? 'HEAD'
  const to = await commitOf(repository, toName)
  const named = describe(to, wish.worktree ? `the files on top of ${toName}` : toName)
  if (wish.from !== undefined) return { from: describe(await commitOf(repository, wish.from), wish.from), to: named }
  return { from: await baseOf(repository, to, wish.worktree), to: named }
}

/** One commit by its name. Throws SourceError. */
export async function readCommit(world: World, path: string, revision: string): Promise<NamedCommit> {
  return describe(await commitOf(await open(world, path), revision), revision)
}

const describe = ({ id, message }: Commit, name: string): NamedCommit => ({
  id,
  name,
  subject: message.split('\n', 1)[0] ?? '',
})

async function open(world: World, path: string): Promise<Repository> {
  if ((await kindOf(path)) !== 'directory') throw new SourceError('Unreachable', `there is no repository at ${path}`)
  const layout = await findRepository(path)
  if (layout === undefined) throw await notOne(path)
  return { path, parts: { world, objects: new GitObjects(layout.objectHomes), table: await readRefs(layout) } }
}

async function notOne(path: string): Promise<SourceError> {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    if ((await findRepository(above)) === undefined) continue
    return new SourceError(
      'Unreachable',
      `${path} is a folder of the repository ${above}: name that one, with --path ${relative(above, path)}`,
    )
  }
  return new SourceError('Unreachable', `${path} is not a git repository`)
}

const steps = /(?:\^\d{0,3}|~\d{0,5})*$/

/** As git reads it: a name, then perhaps `^`, `^2` and `~3`. */
async function commitOf({ path, parts }: Repository, revision: string): Promise<Commit> {
  const suffix = steps.exec(revision)?.[0] ?? ''
  const base = revision.slice(0, revision.length - suffix.length)
  let commit = await resolveRevision(parts, base === '' ? revision : base).catch((error: unknown) => {
    if (!(error instanceof SourceError)) throw error
    throw new SourceError(error.code, `${path}: ${error.message}${error.code === 'RevisionNotFound' ? unknown : ''}`)
  })
  for (const [, sign, count] of suffix.matchAll(/([\^~])(\d*)/g)) {
    const number = count === undefined || count === '' ? 1 : Number(count)
    const way = sign === '^' ? [number] : Array<number>(number).fill(1)
    for (const nth of way) if (nth > 0) commit = await parentOf(parts, commit, { nth, revision })
  }
  return commit
}

const unknown = ' (in a shallow clone most commits and branches are missing: fetch the whole history)'

async function parentOf(
  { objects }: ResolveParts,
  commit: Commit,
  { nth, revision }: { readonly nth: number; readonly revision: string },
): Promise<Commit> {
  const id = commit.parents[nth - 1]
  const parent = id === undefined ? undefined : await objects.commit(id)
  if (parent !== undefined) return parent
  const why =
    id === undefined ? `commit ${commit.id.slice(0, 7)} has no such parent` : `commit ${id} is not here${unknown}`
  throw new SourceError('RevisionNotFound', `unable to resolve '${revision}': ${why}`)
}

/** Where clones have the default branch of their remote, then where a repository of its own may have it. */
const defaultBranches: readonly (readonly [ref: string, name: string])[] = [
  ['refs/remotes/origin/HEAD', 'the default branch'],
  ['refs/remotes/origin/main', 'origin/main'],
  ['refs/remotes/origin/master', 'origin/master'],
  ['refs/heads/main', 'main'],
  ['refs/heads/master', 'master'],
]

async function baseOf({ path, parts }: Repository, to: Commit, worktree: boolean): Promise<NamedCommit> {
  const { objects, table } = parts
  const [ref, name] = defaultBranches.find(([each]) => table.refs.has(each)) ?? []
  const tip = ref === undefined ? undefined : await objects.commit(table.refs.get(ref) ?? '')
  if (tip !== undefined && name !== undefined) {
    const base = await mergeBase(objects, to, tip)
    if (base === undefined)
      throw new SourceError(
        'RevisionNotFound',
        `${path}: HEAD and ${name} have no commit in common that is here: fetch the whole history, or say which commit to begin with`,
      )
    if (base.id !== to.id) return describe(base, `merge base with ${name}`)
  }
  if (worktree) return describe(to, 'the last commit')
  return describe(await parentOf(parts, to, { nth: 1, revision: 'HEAD^' }), 'the commit before')
}
