// `homeostat check` and `plan` on small repositories of their own.

import { delimiter, dirname } from 'node:path'
import type { PlanReport } from '#lab'
import { createRepository, type TestRepository } from '../gitops/git-repository.ts'
import { application, auto, manifest } from '../gitops/reconciler.ts'
import { type Ran, runLine } from '../support/command-line.ts'

/** Where the tests' own one is. */
export const kubectl = process.env['HOMEOSTAT_TEST_KUBECTL']

const path = [...(kubectl === undefined ? [] : [dirname(kubectl)]), process.env['PATH'] ?? ''].join(delimiter)

/** Runs a command line in a folder. */
export const runIn = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
  runLine(args, { cwd, env: { PATH: path } })

/** Undefined: the file goes. */
export type Files = Readonly<Record<string, string | undefined>>

export function change(repo: TestRepository, files: Files, message = 'Change'): string {
  const gone = Object.entries(files).flatMap(([name, text]) => (text === undefined ? [name] : []))
  if (gone.length > 0) repo.git('rm', '-rqf', ...gone)
  const written = Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return repo.commit(Object.fromEntries(written), message)
}

/** A repository with these two commits. */
export function twoCommits(before: Files, after: Files): TestRepository {
  const repo = createRepository()
  repo.git('remote', 'add', 'origin', selfUrl)
  change(repo, before, 'Begin')
  change(repo, after, 'Go on')
  return repo
}

/** The address by which Applications name the repository that they are in. */
export const selfUrl = 'https://git.example.com/team/config.git'

export const child = (name: string, options: Parameters<typeof application>[2] = {}): string =>
  manifest(application(name, { path: selfUrl }, { automated: auto, ...options }))

/** What `plan` says of the two commits, as JSON. */
export async function planOf(before: Files, after: Files, ...args: readonly string[]): Promise<PlanReport & Ran> {
  const repo = twoCommits(before, after)
  try {
    const ran = await runIn(repo.path, 'plan', '-o', 'json', ...args)
    if (ran.out === '') throw new Error(ran.err)
    return { ...(JSON.parse(ran.out) as PlanReport), ...ran }
  } finally {
    repo.remove()
  }
}

/** `removed Service shop/old` of each object. */
export const objectsIn = ({ applications }: PlanReport): readonly string[] =>
  applications.flatMap(({ objects }) =>
    objects.map(
      ({ change: what, outcome, kind, namespace, name }) =>
        `${outcome === 'done' ? '' : `${outcome} `}${what} ${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`,
    ),
  )

export { configMap, deployment, job, manifest } from '../gitops/reconciler.ts'
export type { Ran } from '../support/command-line.ts'
