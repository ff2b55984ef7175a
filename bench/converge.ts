// How fast the whole chain makes pods available: every loop, the real kubelet resident without pull and start delays,
// Events, validation and managed fields on, in memory, on a real clock.
// To compare: a real 1.34 control plane with a fake kubelet made 150 pods/s on two cores.

import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Client } from '#client'
import { Namespace } from '#kinds'
import { createMachine } from '#machine'
import { type Clock, systemWorld } from '#world'
import { whole } from '../test/support/tool.ts'
import { allocatable, availablePods, createLoad, createNamespace, liveBytes, namespace, readyNodes } from './load.ts'
import type { Measurement } from './measurement.ts'

const realPodsPerSecond = 150
const stalledMs = 60_000

interface Result {
  readonly pods: number
  readonly nodes: number
  readonly podsPerSecond: number
  readonly seconds: number
  /** Of all threads: does not depend on what else the machine does. */
  readonly cpuSeconds: number
  readonly peakRssBytes: number
  readonly bytesPerPod: number
}

async function until(holds: () => Promise<boolean>, limitSeconds: number, clock: Clock): Promise<void> {
  const endsAt = clock.now() + limitSeconds * 1000
  while (!(await holds())) {
    if (clock.now() > endsAt) throw new Error(`not converged after ${limitSeconds} s`)
    await delay(20)
  }
}

/** However slow the machine is, as long as it goes on. Asked more seldom of many pods, so that asking costs next to nothing. */
async function untilAvailable(client: Client, pods: number, clock: Clock): Promise<void> {
  let [most, since] = [-1, clock.now()]
  for (;;) {
    const available = await availablePods(client)
    if (available === pods) return
    if (available > most) [most, since] = [available, clock.now()]
    else if (clock.now() - since > stalledMs) throw new Error(`${available} of ${pods} pods, and no more for a minute`)
    await delay(Math.max(20, pods / 1000))
  }
}

async function measure(pods: number, nodes: number): Promise<Result> {
  const world = systemWorld()
  const { clock } = world
  const machine = createMachine({
    world,
    nodes: { count: nodes, allocatable },
    instant: true,
  })
  machine.start()
  const client = machine.client()
  await until(async () => (await readyNodes(client)) === nodes, 300, clock)
  await createNamespace(client)
  await until(
    async () => (await client.list(Namespace)).items.some(({ metadata }) => metadata.name === namespace),
    10,
    clock,
  )
  const liveBefore = liveBytes()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await createLoad(client, pods)
  await untilAvailable(client, pods, clock)
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  const bytesPerPod = Math.round((liveBytes() - liveBefore) / pods)
  await machine.stop()
  world.close()
  return {
    pods,
    nodes,
    podsPerSecond: Math.round(pods / seconds),
    seconds: Number(seconds.toFixed(3)),
    cpuSeconds: Number(((user + system) / 1e6).toFixed(3)),
    peakRssBytes,
    bytesPerPod,
  }
}

const describe = (result: Result): string =>
  `${result.pods} pods on ${result.nodes} nodes: ${result.seconds} s (CPU ${result.cpuSeconds} s), ${result.podsPerSecond} pods/s ` +
  `(${(result.podsPerSecond / realPodsPerSecond).toFixed(1)} times a real control plane's ${realPodsPerSecond}), ` +
  `peak ${Math.round(result.peakRssBytes / 2 ** 20)} MiB, ${result.bytesPerPod} bytes a pod`

/** Each size in a process of its own, so that one does not warm up or fill the heap of the other. */
function measureApart(pods: number, nodes: number): Result {
  const args = [
    ...process.execArgv,
    process.argv[1] ?? '',
    'converge',
    '--pods',
    String(pods),
    '--nodes',
    String(nodes),
    '--json',
  ]
  const child = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
  if (child.status !== 0) throw new Error(`the run with ${pods} pods failed`)
  return JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '') as Result
}

interface Options {
  readonly pods: number
  readonly nodes: number
  readonly rounds: number
  readonly scaling?: true
  readonly json?: true
}

export const converge: Measurement = (command) =>
  command
    .description('Deployments of 100 replicas with Services, to all available')
    .option('--pods <count>', 'how many pods', whole(1), 10_000)
    .option('--nodes <count>', 'on how many nodes', whole(1), 100)
    .option('--rounds <count>', 'the same again and again in one process: what it does when it is warm', whole(1), 1)
    .option('--scaling', 'instead: the cost of a pod at 20,000 on 200 nodes against 2,000 on 20')
    .action(run)

function checkFits(pods: number, nodes: number, command: Command): void {
  const perNode = Number(allocatable.pods)
  if (pods <= nodes * perNode) return
  command.error(
    `error: --pods ${pods} do not fit on --nodes ${nodes}: a node takes ${perNode} pods, as its range (a /24) has 253 addresses. ` +
      `Give at least --nodes ${Math.ceil(pods / perNode)}, or at most --pods ${nodes * perNode}`,
    { exitCode: 2 },
  )
}

async function run({ pods, nodes, rounds: count, scaling, json }: Options, command: Command): Promise<void> {
  if (scaling !== true) {
    checkFits(pods, nodes, command)
    // A round begins with a new cluster, but what the first one had compiled stays so: a daemon that has run for a while.
    const rounds: Result[] = []
    for (let round = 0; round < count; round++) {
      const result = await measure(pods, nodes)
      console.log(describe(result))
      rounds.push(result)
    }
    if (json === true) console.log(JSON.stringify(rounds.length === 1 ? rounds[0] : { rounds }))
    return
  }
  const small = measureApart(2000, 20)
  const large = measureApart(20_000, 200)
  const ratio = Number((large.seconds / large.pods / (small.seconds / small.pods)).toFixed(2))
  console.log(`${describe(small)}\n${describe(large)}\na pod at 20,000 costs ${ratio} times one at 2,000`)
  if (json === true) console.log(JSON.stringify({ small, large, costRatio: ratio }))
}
