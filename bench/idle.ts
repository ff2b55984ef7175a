// What a cluster costs that has nothing to do: hours of world time in virtual time, with pods that run. Leases, heartbeats
// and whatever else goes on by itself still happens. Its live memory before and after shows what would leak.

import { createMachine } from '#machine'
import { simulatedWorld } from '#world'
import { whole } from '../test/support/tool.ts'
import { allocatable, availablePods, createLoad, createNamespace, liveBytes, readyNodes } from './load.ts'
import type { Measurement } from './measurement.ts'

const hourMs = 3_600_000
const mebibytes = (bytes: number): number => Number((bytes / 2 ** 20).toFixed(1))

interface Size {
  readonly nodes: number
  readonly pods: number
  readonly hours: number
}

async function measure({ nodes, pods, hours }: Size) {
  const world = simulatedWorld('idle')
  const machine = createMachine({ world, nodes: { count: nodes, allocatable }, instant: true })
  machine.start()
  const client = machine.client()
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await world.drive(holds))) await world.advance(1000)
  }
  await until(async () => (await readyNodes(client)) === nodes)
  await world.drive(() => createNamespace(client))
  await world.advance(1000)
  await world.drive(() => createLoad(client, pods))
  await until(async () => (await availablePods(client)) === pods)
  // Events of the start are kept for an hour.
  await world.advance(2 * hourMs)
  const liveBefore = liveBytes()
  const [tasksBefore, revisionBefore] = [world.tasks, machine.store.revision]
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await world.advance(hours * hourMs)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const result = {
    nodes,
    pods,
    hours,
    seconds: Number(seconds.toFixed(2)),
    cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
    tasks: world.tasks - tasksBefore,
    writes: machine.store.revision - revisionBefore,
    liveMiBBefore: mebibytes(liveBefore),
    liveMiBAfter: mebibytes(liveBytes()),
  }
  await machine.stop()
  return result
}

export const idle: Measurement = (command) =>
  command
    .description('virtual time without work: its cost, and memory before and after')
    .option('--nodes <count>', 'how many nodes', whole(1), 100)
    .option('--pods <count>', 'how many pods', whole(0), 2000)
    .option('--hours <count>', 'how long', whole(1), 24)
    .action(run)

async function run({ json, ...size }: Size & { readonly json?: true }): Promise<void> {
  const result = await measure(size)
  const { nodes, pods, hours, seconds, cpuSeconds, tasks, writes, liveMiBBefore, liveMiBAfter } = result
  console.log(
    `${hours} h with ${nodes} nodes and ${pods} pods: ${seconds} s (CPU ${cpuSeconds} s), ${writes} writes, ` +
      `${tasks} tasks, live memory ${liveMiBBefore} MiB before and ${liveMiBAfter} MiB after`,
  )
  if (json === true) console.log(JSON.stringify(result))
}
