// How a mirror speaks with its remote. One for http(s), one for ssh; the mirror does not know which.

import type { RefTable } from './refs.ts'

export interface Wanted {
  /** What the remote says now. */
  readonly table: RefTable
  /** What was fetched before, and is here with all that it leads to. */
  readonly last: RefTable | undefined
  /** More of its history is wanted than was before. */
  readonly deeper: boolean
}

export interface Transport {
  /** HEAD, branches and tags as the remote says them now. */
  listRefs(): Promise<RefTable>
  /** How many commits of each history are fetched; undefined: all. Throws SourceError. */
  depth(): number | undefined
  /** Brings all that the table names into a bare repository, and answers which refs that are. */
  download(gitDirectory: string, wanted: Wanted): Promise<RefTable>
  /** Brings one commit, with its history, that no branch or tag leads to: the head of a pull request, say. */
  downloadCommit(gitDirectory: string, id: string, last: RefTable | undefined): Promise<void>
  /** One line for people about what went wrong; without secrets. */
  explain(error: unknown): string
}

export const isKeptRef = (ref: string): boolean =>
  (ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')) && !ref.endsWith('^{}')
