// How a mirror speaks with its remote. One for http(s), one for ssh; the mirror does not know which.

import type { RefTable } from './refs.ts'

export interface Transport {
  /** HEAD, branches and tags as the remote says them now. */
  listRefs(): Promise<RefTable>
  /** Brings all that `table` names into a bare repository: branches to refs/remotes/origin, tags to refs/tags. */
  download(gitDirectory: string, table: RefTable): Promise<void>
  /** Brings one commit, with its history, that no branch or tag leads to: the head of a pull request, say. */
  downloadCommit(gitDirectory: string, id: string): Promise<void>
  /** One line for people about what went wrong; without secrets. */
  explain(error: unknown): string
}

export const isKeptRef = (ref: string): boolean =>
  (ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')) && !ref.endsWith('^{}')
