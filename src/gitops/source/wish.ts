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
  const ofRevision = revision === undefined ? undefined : faultIn(() => parseRevision(revision))
  if (ofRevision !== undefined) return `--revision: ${ofRevision}`
  const ofPath = path === undefined ? undefined : faultIn(() => pathSegments(path))
  return ofPath === undefined ? undefined : `--path ${ofPath}: give a folder from the root of the repository`
}

function faultIn(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof SourceError) return error.message
    throw error
  }
}
