// Where the history that is here ends: git's file `shallow`, which names the commits whose parents were not fetched. It is written
// when the pack is in place and before the refs are recorded: what is told a server to be here has its end told along.

import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOptional } from './git-layout.ts'

/** What a server says of the end of history, when it is asked for so many commits. */
export interface ShallowChange {
  readonly shallow: readonly string[]
  /** Their parents are sent. */
  readonly unshallow: readonly string[]
}

/** What git's protocol takes for all commits there are. */
export const allCommits = 0x7fffffff

/** How many commits are asked for; undefined: as many as there are, and nothing was left out before. */
export const deepenBy = (depth: number | undefined, shallow: readonly string[]): number | undefined =>
  depth ?? (shallow.length > 0 ? allCommits : undefined)

/** What is here goes back less far; undefined is all of history. */
export const isLess = (here: number | undefined, wanted: number | undefined): boolean =>
  here !== undefined && (wanted === undefined || here < wanted)

const pathIn = (gitDirectory: string): string => join(gitDirectory, 'shallow')

export async function readShallow(gitDirectory: string): Promise<readonly string[]> {
  const text = (await readOptional(pathIn(gitDirectory))) ?? ''
  return text.split('\n').filter((line) => /^[0-9a-f]{40}$/.test(line))
}

export async function changeShallow(gitDirectory: string, { shallow, unshallow }: ShallowChange): Promise<void> {
  if (shallow.length === 0 && unshallow.length === 0) return
  const ends = new Set([...(await readShallow(gitDirectory)), ...shallow])
  for (const id of unshallow) ends.delete(id)
  await writeShallow(gitDirectory, ends)
}

export async function writeShallow(gitDirectory: string, ends: ReadonlySet<string>): Promise<void> {
  const path = pathIn(gitDirectory)
  // To git an empty file is a shallow repository.
  if (ends.size === 0) return rm(path, { force: true })
  await writeFile(`${path}.new`, [...ends, ''].join('\n'))
  await rename(`${path}.new`, path)
}
