// What many Applications of one repository cost: until all are Synced and Healthy, from a commit of one file until its
// application is Synced at it, and while nothing changes. CPU time and counts (looks, writes) do not depend on what else
// the machine does; seconds do.

import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { whole } from '../test/support/tool.ts'
import { GitopsCluster, type Work } from './gitops-cluster.ts'
import { type DoorFigures, measureDoors } from './gitops-doors.ts'
import { type ColdRead, median, readCold } from './gitops-read.ts'
import { BenchRepository } from './gitops-repository.ts'
import { liveBytes } from './load.ts'
import type { Measurement } from './measurement.ts'

const commits = 7
const polls = 20
const coldReadFiles = 5000
const minuteMs = 60_000
/** Applications are not compared evenly over time, so several minutes are measured. */
const quietMinutes = 5
/** World seconds a second while the quiet minute is measured. */
const quietSpeed = 10
/** Until every application has been compared again at its own time. */
const spreadMs = 200_000

interface Result {
  readonly apps: number
  readonly coldSeconds: number
  readonly coldCpuSeconds: number
  readonly coldLooksPerApp: number
  readonly coldWritesPerApp: number
  readonly commitToSyncedMs: number
  /** Of one commit and what follows it within three seconds. */
  readonly commit: Work
  readonly idlePollCpuMs: number
  readonly idleMinute: Work
  readonly orphansSwitchOn: Work
  readonly orphansCommit: Work
  readonly doors: DoorFigures
  readonly peakRssBytes: number
  readonly bytesPerApp: number
}

async function measure(apps: number): Promise<Result> {
  const repository = new BenchRepository(apps)
  try {
    await repository.create()
    const bench = new GitopsCluster(repository, apps)
    const liveBefore = liveBytes()
    await bench.create()
    const begunAt = performance.now()
    const cold = await bench.work(() => bench.cold())
    const coldSeconds = (performance.now() - begunAt) / 1000
    const peakRssBytes = process.resourceUsage().maxRSS * 1024
    await delay(2000)
    const bytesPerApp = Math.round((liveBytes() - liveBefore) / apps)
    const at = (n: number): number => (n * 7919) % apps
    const latencies: number[] = []
    for (let n = 0; n < commits; n += 1) {
      latencies.push(await bench.commit(at(n)))
      await delay(500)
    }
    await delay(5000)
    const commit = await bench.work(() => Promise.all([bench.commit(at(commits)), delay(3000)]))
    const polling = await bench.work(async () => {
      for (let n = 0; n < polls; n += 1) await bench.poll()
    })
    const idleMinute = await quietMinute(bench)
    const doors = await measureDoors(bench.machine, bench.gitops, apps)
    const orphansSwitchOn = await bench.work(() => Promise.all([bench.monitorOrphans(true), delay(5000)]))
    const orphansCommit = await bench.work(() => Promise.all([bench.commit(at(commits + 1)), delay(3000)]))
    await bench.end()
    return {
      apps,
      coldSeconds: Number(coldSeconds.toFixed(2)),
      coldCpuSeconds: Number((cold.cpuMs / 1000).toFixed(2)),
      coldLooksPerApp: Number((cold.looks / apps).toFixed(1)),
      coldWritesPerApp: Number((cold.writes / apps).toFixed(1)),
      commitToSyncedMs: Math.round(median(latencies)),
      commit,
      idlePollCpuMs: Number((polling.cpuMs / polls).toFixed(1)),
      idleMinute,
      orphansSwitchOn,
      orphansCommit,
      doors,
      peakRssBytes,
      bytesPerApp,
    }
  } finally {
    repository.remove()
  }
}

/** A minute of world time in which nothing happens but what goes on by itself. */
async function quietMinute(bench: GitopsCluster): Promise<Work> {
  bench.world.setSpeed(quietSpeed)
  await delay(spreadMs / quietSpeed)
  const work = await bench.work(() => delay((quietMinutes * minuteMs) / quietSpeed))
  bench.world.setSpeed(1)
  const each = (total: number): number => Math.round(total / quietMinutes)
  return { cpuMs: each(work.cpuMs), looks: each(work.looks), writes: each(work.writes) }
}

const workText = ({ cpuMs, looks, writes }: Work): string => `CPU ${cpuMs} ms, ${looks} looks, ${writes} writes`
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

const describe = (result: Result): string =>
  [
    `${result.apps} applications: all Synced and Healthy after ${result.coldSeconds} s (CPU ${result.coldCpuSeconds} s, ${result.coldLooksPerApp} looks and ${result.coldWritesPerApp} writes each)`,
    `  commit to Synced ${result.commitToSyncedMs} ms; one commit: ${workText(result.commit)}`,
    `  a poll that finds nothing: CPU ${result.idlePollCpuMs} ms; a quiet minute: ${workText(result.idleMinute)}`,
    `  orphaned resources: switched on ${workText(result.orphansSwitchOn)}; then one commit: ${workText(result.orphansCommit)}`,
    `  dashboard: list ${mebibytes(result.doors.listBytes)} in ${result.doors.listMs} ms, ${mebibytes(result.doors.fewFieldsBytes)} with few fields; stream ${mebibytes(result.doors.streamBytes)} in ${result.doors.streamMs} ms; changes after ${result.doors.changesMs} ms; CPU ${result.doors.cpuMs} ms together`,
    `  peak ${mebibytes(result.peakRssBytes)}, ${result.bytesPerApp} bytes an application`,
  ].join('\n')

/** Each size in a process of its own, so that one does not warm up or fill the heap of the other. */
function measureApart(apps: number): Result {
  const args = [...process.execArgv, process.argv[1] ?? '', 'gitops', '--apps', String(apps), '--alone', '--json']
  const child = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
  if (child.status !== 0) throw new Error(`the run with ${apps} applications failed`)
  return JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '') as Result
}

const describeRead = ({ files, oursMs, gitMs, ratio }: ColdRead): string =>
  `cold read of ${files} files: ${oursMs} ms${gitMs === undefined ? '' : `, ${ratio} times the ${gitMs} ms of git cat-file --batch`}`

interface Options {
  readonly apps: number
  readonly small: number
  readonly alone?: true
  readonly json?: true
}

export const gitops: Measurement = (command) =>
  command
    .description('Applications of one repository: cold, after a commit, at rest')
    .option('--apps <count>', 'how many', whole(1), 10_000)
    .option('--small <count>', 'how many to compare with', whole(1), 1000)
    .option('--alone', 'compare with nothing')
    .action(run)

async function run({ apps, small: few, alone, json }: Options): Promise<void> {
  if (alone === true) {
    const result = await measure(apps)
    console.log(describe(result))
    if (json === true) console.log(JSON.stringify(result))
    return
  }
  const small = measureApart(few)
  const large = measureApart(apps)
  const coldRead = await readCold(coldReadFiles)
  const ratio = (large.coldCpuSeconds / large.apps / (small.coldCpuSeconds / small.apps)).toFixed(2)
  console.log([describe(small), describe(large), describeRead(coldRead)].join('\n'))
  console.log(`an application at ${large.apps} costs ${ratio} times the CPU of one at ${small.apps}`)
  if (json === true) console.log(JSON.stringify({ ...large, small, costRatio: Number(ratio), coldRead }))
}
