// A repository as applications use it, wherever it comes from. What was read last stays valid: a remote that fails, or a
// path that vanished, is reported as trouble while revisions that are already here can still be read.

import type { Cancel } from '#world'
import type { GitTree } from './git-tree.ts'
import type { Nesting } from './nesting.ts'
import type { Commit } from './parse-object.ts'
import type { SignedObject } from './signed-object.ts'
import type { Snapshot } from './snapshot.ts'

export interface Trouble {
  readonly message: string
  /** World time in milliseconds when the first of the failures in a row happened. */
  readonly sinceMs: number
}

export interface RepositoryState {
  /** Something has been read, now or earlier: revisions can be resolved. */
  readonly ready: boolean
  /** When refs were last read or fetched with success. */
  readonly refreshedAtMs: number | undefined
  readonly trouble: Trouble | undefined
}

/** Two trees of commits, and how to look into what they hold. */
export interface TreePair {
  readonly before: string
  readonly after: string
  readonly tree: (id: string) => Promise<GitTree>
}

export interface Commits {
  /** What a branch, tag, range, commit or HEAD means now. Throws SourceError. */
  resolve(revision: string): Promise<Commit>
  /** Looks at two commits side by side. Throws SourceError where one of them is no longer there. */
  between<T>(before: string, after: string, look: (pair: TreePair) => Promise<T>): Promise<T>
}

export interface Repository {
  /** Names it among all repositories; the key of its loop. */
  readonly key: string
  /** As it may be shown: without credentials. */
  readonly url: string
  /** Remotes are polled; local ones are followed, and polled for what following missed. */
  readonly type: 'remote' | 'local'
  /** It shows files as they lie on disk, so they may change without any ref moving. */
  readonly readsFiles: boolean
  readonly state: RepositoryState
  /** How many commits of each branch and tag are here at least; undefined: all. */
  readonly depth?: number | undefined
  /** Undefined where files are not those of commits. */
  readonly commits: Commits | undefined
  /** Reads the refs again (local) or fetches (remote). True when something moved or trouble came or went. Never throws. */
  refresh(): Promise<boolean>
  /** The files at a branch, tag, commit or HEAD; `nesting` is given for what is a submodule of another. Throws SourceError. */
  snapshot(revision: string, nesting?: Nesting): Promise<Snapshot>
  /** Author, date and message of a commit; undefined for what is no commit of this repository. */
  describe(revision: string): Promise<Commit | undefined>
  /** The signature of a tag or commit; undefined for what can have none. Throws SourceError. */
  signed(revision: string): Promise<SignedObject | undefined>
  /** Names of the tags that mean a commit. */
  tags(commit: string): Promise<readonly string[]>
  /** Calls `moved` when files that matter changed on disk; only local repositories ever do. */
  follow(moved: () => void): Cancel
}
