// A note of what somebody read of a repository: which folders, at which revision. From it `Readers` tells which commits
// concern him.

import type { Repository } from './repository.ts'
import { type Listing, pathSegments, type Snapshot } from './snapshot.ts'

export interface ReadFolder {
  /** From the root; empty for the root itself. */
  readonly path: string
  /** With everything below it. */
  readonly deep: boolean
}

export class Reading {
  readonly repository: string
  /** As it was asked for: a branch, tag, range of versions or commit; empty for HEAD. */
  readonly revision: string
  readonly #folders = new Map<string, ReadFolder>()
  #commit: string | undefined

  constructor(repository: string, revision: string) {
    this.repository = repository
    this.revision = revision
  }

  /** What the revision meant; undefined when nothing could be read. */
  get commit(): string | undefined {
    return this.#commit
  }

  get folders(): Iterable<ReadFolder> {
    return this.#folders.values()
  }

  /** A snapshot of which everything that is read is noted. */
  over(snapshot: Snapshot): Snapshot {
    return {
      list: async (path, options) => {
        // A folder that is not there was read too: it may come.
        this.#note(pathSegments(path).join('/'), options.recurse)
        const listing = await snapshot.list(path, options)
        this.#commit = listing.revision
        if (hasLinks(listing)) this.#note('', true)
        return listing
      },
      read: snapshot.read,
    }
  }

  #note(path: string, deep: boolean): void {
    this.#folders.set(`${path}${deep ? '/' : ''}`, { path, deep })
  }
}

/** A link may lead to any other place of the repository. */
const hasLinks = ({ linked }: Listing): boolean => linked === true

export async function readSnapshot(repository: Repository, revision: string) {
  const reading = new Reading(repository.key, revision)
  return { reading, snapshot: reading.over(await repository.snapshot(revision)) }
}
