// What a person asks for on the command line, checked before anything is read: texts that can mean no source at all.

import { urlFault } from './repo-url.ts'
import { parseRevision } from './revision-name.ts'
import { pathSegments } from './snapshot.ts'
import { SourceError } from './source-error.ts'

export interface SourceWish {
  readonly repository: string
  readonly revision?: string
  readonly path?: string
}

/** What is wrong with the texts themselves; undefined when they may name something. */
export function wishFault({ repository, revision, path }: SourceWish): string | undefined {
  const fault = urlFault(repository)
  if (fault !== undefined) return fault
  try {
    if (revision !== undefined) parseRevision(revision)
    if (path !== undefined) pathSegments(path)
    return undefined
  } catch (error) {
    if (error instanceof SourceError) return error.message
    throw error
  }
}
