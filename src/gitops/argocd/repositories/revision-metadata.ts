// Who made a revision of an application, when and why: asked of the repositories that it reads.

import { SourceError, type Sources } from '#gitops/source'
import { type Application, sourcesIn } from '#kinds'
import { formatTime } from '#objects'
import { repositoryNames } from '../application/source-set.ts'

export interface RevisionMetadata {
  readonly author: string
  readonly date: string
  readonly message: string
  readonly tags?: readonly string[]
}

/** Throws SourceError for what is no commit of one of its repositories. */
export async function readRevisionMetadata(
  sources: Sources,
  app: Application,
  revision: string,
): Promise<RevisionMetadata> {
  const found = await describeIn(sources, app, revision)
  if (found === undefined)
    throw new SourceError(
      'RevisionNotFound',
      `${revision} is no commit of the repository${isShallow(sources, app) ? ', or one that `depth` of the repository leaves out' : ''}`,
    )
  const { author, dateMs, message, id } = found.commit
  const tags = await found.repository.tags(id)
  return { author, date: formatTime(dateMs), message, ...(tags.length === 0 ? {} : { tags }) }
}

const isShallow = (sources: Sources, app: Application): boolean =>
  repositoryNames(app).some(({ repoURL, chart }) => sources.repository(repoURL, chart).depth !== undefined)

/** Of an application with several sources, as if it had but one of them. */
export function only(app: Application, source: number | undefined): Application {
  const { sources: _all, ...spec } = app.spec
  const one = source === undefined ? undefined : sourcesIn(app.spec)[source]
  return one === undefined ? app : { ...app, spec: { ...spec, source: one } }
}

/** A commit of whichever of the application's repositories has it. */
async function describeIn(sources: Sources, app: Application, revision: string) {
  for (const { repoURL, chart } of repositoryNames(app)) {
    const repository = sources.repository(repoURL, chart)
    const commit = await repository.describe(revision)
    if (commit !== undefined) return { commit, repository }
  }
  return undefined
}

/** The same; a repository that is none has no commits. */
export async function describeIfKnown(sources: Sources, app: Application, revision: string) {
  try {
    return (await describeIn(sources, app, revision))?.commit
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}
