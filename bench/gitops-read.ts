// How long it takes to read every file of a repository of which nothing is in memory: by our reader, and by the system's git
// (`ls-tree -r`, then `cat-file --batch`). Both in turns, so that what else the machine does strikes both.

import { spawn, spawnSync } from 'node:child_process'
import { createSources } from '#gitops/source'
import { systemWorld } from '#world'
import { BenchRepository, hasGit } from './gitops-repository.ts'

const rounds = 5

export interface ColdRead {
  readonly files: number
  readonly oursMs: number
  readonly gitMs?: number
  /** How many times as long as git it takes us. */
  readonly ratio?: number
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export async function readCold(files: number): Promise<ColdRead> {
  const repository = new BenchRepository(files)
  try {
    await repository.create()
    const withGit = hasGit()
    const [ours, gits]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await timed(() => readOurs(repository.path, files)))
      if (withGit) gits.push(await timed(() => readByGit(repository.path)))
    }
    const oursMs = Math.round(median(ours))
    if (!withGit) return { files, oursMs }
    return { files, oursMs, gitMs: Math.round(median(gits)), ratio: Number((median(ours) / median(gits)).toFixed(2)) }
  } finally {
    repository.remove()
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begunAt = performance.now()
  await work()
  return performance.now() - begunAt
}

async function readOurs(path: string, expected: number): Promise<void> {
  const world = systemWorld()
  const sources = createSources({ world, directory: path, local: [{ path }] })
  await sources.open()
  const snapshot = await sources.repository(path).snapshot('HEAD')
  const { files } = await snapshot.list('.', { recurse: true })
  for (const file of files) await snapshot.read('.', file)
  world.close()
  if (files.length !== expected) throw new Error(`${files.length} files were read, not ${expected}`)
}

async function readByGit(path: string): Promise<void> {
  const listed = spawnSync('git', ['-C', path, 'ls-tree', '-r', 'HEAD'], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const ids = listed.stdout.split('\n').map((line) => line.slice(12, 52))
  const child = spawn('git', ['-C', path, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(`${ids.join('\n').trimEnd()}\n`)
  for await (const chunk of child.stdout) void chunk
}
