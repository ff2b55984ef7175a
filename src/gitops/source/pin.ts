// One state of a repository in the place of all its branches: what would be on them if it were merged. Tags and commits
// stay what they are. Pure.

import type { RefTable } from './refs.ts'

export interface Pin {
  /** What HEAD and branches mean; absent: what is checked out. */
  readonly commit?: string
  /** The files as they lie on disk, in the place of that commit. */
  readonly worktree?: boolean
  /** Branches that mean it, known here or not; absent: all. */
  readonly branches?: readonly string[]
}

const branchRef = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/

/** The refs as a pin wants them. */
export function pinRefs(table: RefTable, pin: Pin): RefTable {
  const { commit = table.head, branches } = pin
  if (commit === undefined) return table
  const refs = new Map(table.refs)
  for (const ref of refs.keys()) {
    const branch = branchRef.exec(ref)?.[1]
    if (branch !== undefined && (branches === undefined || branches.includes(branch))) refs.set(ref, commit)
  }
  for (const branch of branches ?? []) refs.set(`refs/heads/${branch}`, commit)
  return { head: commit, refs, ...(branches === undefined ? { otherwise: commit } : {}) }
}
