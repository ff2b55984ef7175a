// Plays a repository in a cluster of its own until nothing changes any more, and says what became of it.

import { assertFiles, type NamedCommit, type Pin, readCommit, SourceError } from '#gitops/source'
import { systemWorld, type World } from '#world'
import { applicationsOf, Reporter } from './application-report.ts'
import { assertSomething } from './nothing.ts'
import type { ApplicationReport, CheckReport, RevisionReport } from './report.ts'
import { createStage, type Stage, type StageOptions } from './stage.ts'

export interface RehearsalOptions extends Omit<StageOptions, 'pin'> {
  /** As it is shown. */
  readonly name: string
  /** Branches that mean what is played; default: all. */
  readonly branches?: readonly string[]
  /** Virtual time for each state, in milliseconds. */
  readonly limitMs: number
}

export interface CheckOptions extends RehearsalOptions {
  /** Default: HEAD, or the files of a folder that is no repository. */
  readonly revision?: string
  readonly worktree: boolean
}

/** Throws SourceError for what cannot be read. */
export async function runCheck(options: CheckOptions): Promise<CheckReport> {
  const revision = await revisionOf(options)
  const stage = await createStage({ ...options, pin: pinOf(options, revision, options.worktree) })
  try {
    const end = await stage.settle(options.limitMs)
    const reporter = new Reporter(stage)
    const apps = applicationsOf(stage)
    const applications: ApplicationReport[] = []
    for (const app of apps) applications.push(await reporter.report(app))
    assertSomething([
      { ...options, applications: apps.map((app) => ({ app, objects: app.status?.resources?.length ?? 0 })) },
    ])
    const failingLoops = failing(stage)
    const inOrder = applications.filter((app) => app.inOrder)
    const objects = applications.reduce((sum, app) => sum + app.objects, 0)
    return {
      repository: options.name,
      path: options.path ?? '.',
      revision,
      inOrder: end.settled && inOrder.length === applications.length && failingLoops.length === 0,
      end,
      counts: { applications: applications.length, inOrder: inOrder.length, objects },
      applications,
      assumedKinds: stage.assumed.names,
      failingLoops,
    }
  } finally {
    await stage.stop()
  }
}

async function revisionOf({ location, revision, worktree }: CheckOptions): Promise<RevisionReport> {
  const files = { id: '', name: 'the files in this folder', subject: '' }
  if (worktree) await assertFiles(location)
  try {
    const commit = await outside((world) => readCommit(world, location, revision ?? 'HEAD'))
    return worktree ? { ...commit, name: `the files on top of ${commit.name}` } : commit
  } catch (error) {
    // A plain folder has no revisions, and a repository may have no commit yet.
    if (error instanceof SourceError && revision === undefined && (worktree || error.code === 'Unreachable'))
      return files
    throw error
  }
}

/** Reads what the world of the rehearsal is made of. */
export async function outside<T>(work: (world: World) => Promise<T>): Promise<T> {
  const world = systemWorld({ logLevel: 'silent' })
  try {
    return await work(world)
  } finally {
    world.close()
  }
}

export const pinOf = (
  { branches }: Pick<RehearsalOptions, 'branches'>,
  { id }: Pick<NamedCommit, 'id'>,
  worktree: boolean,
): Pin => ({
  ...(id === '' ? {} : { commit: id }),
  ...(worktree ? { worktree } : {}),
  ...(branches === undefined ? {} : { branches }),
})

const failing = ({ machine }: Stage): CheckReport['failingLoops'] =>
  machine.runtime
    .figures()
    .loops.flatMap(({ name, backoff }) => backoff.slice(0, 1).map(({ key, error }) => ({ loop: name, key, error })))
