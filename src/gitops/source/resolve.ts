// From a revision's name to a commit, by refs that are in memory and objects on disk. Reading refs is left to the
// repository, so resolving for many applications costs one map look-up each.

import type { World } from '#world'
import type { GitObjects } from './git-objects.ts'
import type { Commit } from './parse-object.ts'
import { lookUpRef, type RefTable, tagPrefix } from './refs.ts'
import { parseRevision, type RevisionName } from './revision-name.ts'
import type { SignedObject } from './signed-object.ts'
import { SourceError } from './source-error.ts'
import { highestTag } from './version-range.ts'

export interface ResolveParts {
  readonly world: World
  readonly objects: GitObjects
  readonly table: RefTable
}

/** Throws SourceError when the name means nothing here. */
export async function resolveRevision(parts: ResolveParts, revision: string): Promise<Commit> {
  const name = parseRevision(revision)
  const id = idOf(parts.table, name)
  const known = id === undefined ? undefined : parts.objects.knownCommit(id)
  if (known !== undefined) return known
  return parts.world.clock.outside('git resolve', async () => {
    const whole = id ?? (name.type === 'name' && name.shortened ? await parts.objects.expand(name.name) : undefined)
    const commit = whole === undefined ? undefined : await parts.objects.commit(whole)
    if (commit === undefined && id !== undefined && name.type !== 'commit') await parts.objects.expect(id)
    if (commit === undefined) throw notResolved(name, revision)
    return commit
  })
}

/** What is signed of what a name means: of an annotated tag the tag, of all else the commit. */
export async function signedRevision(parts: ResolveParts, revision: string): Promise<SignedObject | undefined> {
  const name = parseRevision(revision)
  return parts.world.clock.outside('git signature', async () => {
    const shortened = name.type === 'name' && name.shortened ? name.name : undefined
    const id = idOf(parts.table, name) ?? (shortened === undefined ? undefined : await parts.objects.expand(shortened))
    return id === undefined ? undefined : parts.objects.signed(id)
  })
}

function idOf(table: RefTable, name: RevisionName): string | undefined {
  if (name.type === 'head') return table.head
  if (name.type === 'commit') return name.id
  // A branch or tag of that very name comes first: `1.2` may be one.
  const named = name.type === 'name' ? lookUpRef(table, name.name) : undefined
  if (named !== undefined) return named
  if (name.range !== undefined) return highestOf(table, name.range)
  return name.type === 'name' && mayBeBranch(name) ? table.otherwise : undefined
}

const mayBeBranch = ({ name, shortened }: { readonly name: string; readonly shortened: boolean }): boolean =>
  !shortened && !name.startsWith(tagPrefix)

/** Whether a name means the commit that HEAD names as a branch does: it moves on with it. */
export function followsHead(table: RefTable, revision: string): boolean {
  const name = parseRevision(revision)
  if (name.type === 'head') return true
  if (name.type !== 'name' || table.head === undefined) return false
  const branch = table.refs.get(name.name.startsWith('refs/') ? name.name : `refs/heads/${name.name}`)
  if (branch !== undefined) return branch === table.head
  return table.otherwise !== undefined && idOf(table, name) === table.otherwise && !isTag(table, name.name)
}

const isTag = ({ refs }: RefTable, name: string): boolean => refs.has(`${tagPrefix}${name}`)

const meanings = new WeakMap<RefTable, Map<string, string | undefined>>()

/** Worked out once for each state of the refs, however many applications ask. */
function highestOf(table: RefTable, range: string): string | undefined {
  const known = meanings.get(table) ?? new Map<string, string | undefined>()
  meanings.set(table, known)
  if (!known.has(range)) known.set(range, highestIn(table, range))
  return known.get(range)
}

function highestIn({ refs }: RefTable, range: string): string | undefined {
  const tags = [...refs.keys()].flatMap((ref) => (ref.startsWith(tagPrefix) ? [ref.slice(tagPrefix.length)] : []))
  const tag = highestTag(tags, range)
  return tag === undefined ? undefined : refs.get(`${tagPrefix}${tag}`)
}

function notResolved(name: RevisionName, revision: string): SourceError {
  const text =
    name.type === 'head'
      ? 'unable to resolve HEAD to a commit: the repository has no commits'
      : name.type === 'range'
        ? `unable to resolve '${revision}': no tag is a version that fits`
        : `unable to resolve '${revision}' to a commit SHA`
  return new SourceError('RevisionNotFound', text)
}
