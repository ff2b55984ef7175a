// What it costs to clone a repository with much history over http, and to fetch one more commit: time, memory at its peak, and
// how long everything else in the process was held up. The measured process does nothing else; git serves in another.

import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBigHistory } from '../test/gitops/big-history.ts'
import { startGitServer } from '../test/gitops/git-server.ts'
import { whole } from '../test/support/tool.ts'
import type { FetchFigures } from './fetch-once.ts'
import type { Measurement } from './measurement.ts'

interface Flags {
  readonly mb: number
  readonly commits: number
  readonly repository?: string
  readonly json?: true
}

export const fetch: Measurement = (command) =>
  command
    .description('a clone of much history over http: time, memory, and how long the process stood still')
    .option('--mb <count>', 'binary files in the history, in MiB', whole(0), 1024)
    .option('--commits <count>', 'commits, each of one manifest', whole(1), 100_000)
    .option('--repository <folder>', 'a bare repository to serve in the place of a generated one')
    .action(async (flags: Flags) => {
      const folder = mkdtempSync(join(tmpdir(), 'homeostat-bench-fetch-'))
      try {
        await measure(folder, flags)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })

async function measure(folder: string, { mb, commits, repository, json }: Flags): Promise<void> {
  const name = 'big.git'
  const served = join(folder, 'served')
  if (repository === undefined) await makeBigHistory(join(served, name), { commits, binaryBytes: mb * 1024 * 1024 })
  else execFileSync('sh', ['-c', 'mkdir -p "$1" && ln -s "$(cd "$2" && pwd)" "$1/big.git"', 'sh', served, repository])
  const server = await startGitServer({ root: served })
  try {
    const url = `${server.url}/${name}`
    const figures = await fetchOnce(url, join(folder, 'mirrors'))
    console.log(`clone       ${figures.seconds.toFixed(1)} s, ${figures.packMiB} MiB on disk`)
    console.log(`memory      ${figures.peakMiB} MiB at its peak, ${figures.startMiB} MiB before`)
    console.log(
      `standstill  ${figures.stallMs.toFixed(0)} ms at most, ${figures.workMs.toFixed(0)} ms of them at most its own work`,
    )
    if (json === true) console.log(JSON.stringify(figures))
  } finally {
    await server.close()
  }
}

async function fetchOnce(url: string, mirrors: string): Promise<FetchFigures> {
  const child = fork(join(import.meta.dirname, 'fetch-once.ts'), [url, mirrors])
  const [figures] = (await once(child, 'message')) as [FetchFigures]
  return figures
}
