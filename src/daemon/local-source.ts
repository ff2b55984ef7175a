// Which checkout on this machine the reconciler may use.

import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { LocalSource } from '#gitops'
import { assertFiles, SourceError } from '#gitops/source'
import { DaemonError, DaemonUsageError, type RepositoryOptions } from './options.ts'

/** The checkout on this machine that the reconciler may use; none for a remote. Throws when there is nothing. */
export async function localSourceOf(repository: RepositoryOptions | undefined): Promise<readonly LocalSource[]> {
  if (repository === undefined) return []
  const { location, worktree } = repository
  if (!isAbsolute(location)) {
    if (worktree) throw new DaemonUsageError(`${location} is no folder of this machine: --worktree needs one`)
    return []
  }
  const found = await stat(location).catch(() => undefined)
  if (found === undefined) throw new DaemonError(`there is no repository at ${location}`)
  if (!found.isDirectory()) throw new DaemonError(`${location} is a file; give a repository or a folder of manifests`)
  if (worktree) await mustHaveFiles(location)
  return [{ path: location, worktree }]
}

async function mustHaveFiles(location: string): Promise<void> {
  try {
    await assertFiles(location)
  } catch (cause) {
    if (cause instanceof SourceError) throw new DaemonError(cause.message, { cause })
    throw cause
  }
}
