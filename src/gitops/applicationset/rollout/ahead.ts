// Applications hear of a commit one after the other. One of a later step that hears first must not take its turn while those
// of earlier steps still seem done, because they have not looked yet. Pure.

import { type Application, type ApplicationSource, revisionsIn, sourcesIn } from '#kinds'
import type { RolloutRecord } from './progress.ts'
import type { Steps } from './steps.ts'

/** Whether Applications of earlier steps know another revision of the same source. */
export function revisionsAhead(
  records: readonly RolloutRecord[],
  steps: Steps,
  find: (name: string) => Application | undefined,
): (app: Application, step: number) => boolean {
  /** By source and revision: the first step with an Application that is there. */
  const first = new Map<string, Map<string, number>>()
  for (const { application } of records) {
    const [app, step] = [find(application), steps.stepOf(application)]
    if (app === undefined || step === undefined) continue
    for (const [source, revision] of revisionsBySource(app)) {
      const known = first.get(source) ?? new Map<string, number>()
      known.set(revision, Math.min(step, known.get(revision) ?? step))
      first.set(source, known)
    }
  }
  return (app, step) =>
    revisionsBySource(app).some(([source, revision]) =>
      [...(first.get(source) ?? [])].some(([other, at]) => other !== revision && at < step),
    )
}

function revisionsBySource({ status }: Application): readonly (readonly [string, string])[] {
  const revisions = revisionsIn(status?.sync ?? {})
  return sourcesIn(status?.sync?.comparedTo ?? {}).flatMap((source, index) => {
    const revision = revisions[index]
    return revision === undefined ? [] : [[sourceKey(source), revision] as const]
  })
}

const sourceKey = ({ repoURL, chart = '', targetRevision = 'HEAD' }: ApplicationSource): string =>
  `${repoURL} ${chart} ${targetRevision === '' ? 'HEAD' : targetRevision}`
