// How fast the whole chain makes pods available: every loop, the real kubelet resident without pull and start delays,
// Events, validation and managed fields on, in memory, on a real clock.
// To compare: a real 1.34 control plane with a fake kubelet made 150 pods/s on two cores.

import { spawnSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Client } from '#client'
import { Deployment, Namespace, Node, Service } from '#kinds'
import { createMachine } from '#machine'
import { systemWorld } from '#world'

const replicas = 100
const realPodsPerSecond = 150

interface Result {
  readonly pods: number
  readonly nodes: number
  readonly podsPerSecond: number
  readonly seconds: number
  readonly peakRssBytes: number
  readonly bytesPerPod: number
}

const collectGarbage = (): void => {
  setFlagsFromString('--expose_gc')
  ;(runInNewContext('gc') as () => void)()
}

const labels = (i: number) => ({ app: `app-${i}` })

const deployment = (i: number, size: number): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `app-${i}`, namespace: 'bench', labels: labels(i) },
  spec: {
    replicas: size,
    selector: { matchLabels: labels(i) },
    template: {
      metadata: { labels: labels(i) },
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.example.com/app:1',
            ports: [{ containerPort: 80 }],
            resources: { requests: { cpu: '10m', memory: '16Mi' } },
          },
        ],
      },
    },
  },
})

const service = (i: number): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: `app-${i}`, namespace: 'bench' },
  spec: { selector: labels(i), ports: [{ port: 80 }] },
})

async function until(holds: () => Promise<boolean>, limitSeconds: number): Promise<void> {
  const endsAt = Date.now() + limitSeconds * 1000
  while (!(await holds())) {
    if (Date.now() > endsAt) throw new Error(`not converged after ${limitSeconds} s`)
    await delay(20)
  }
}

const readyNodes = async (client: Client): Promise<number> =>
  (await client.list(Node)).items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: on }) => type === 'Ready' && on === 'True'),
  ).length

const availablePods = async (client: Client): Promise<number> =>
  (await client.list(Deployment, { namespace: 'bench' })).items.reduce(
    (sum, { status }) => sum + (status?.availableReplicas ?? 0),
    0,
  )

async function measure(pods: number, nodes: number): Promise<Result> {
  const world = systemWorld()
  const machine = createMachine({
    world,
    nodes: { count: nodes, allocatable: { cpu: '64', memory: '256Gi', pods: '1000' } },
    instant: true,
  })
  machine.start()
  const client = machine.client()
  await until(async () => (await readyNodes(client)) === nodes, 60)
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' }, spec: {} })
  await until(
    async () => (await machine.client().list(Namespace)).items.some(({ metadata }) => metadata.name === 'bench'),
    10,
  )
  collectGarbage()
  const heapBefore = process.memoryUsage().heapUsed
  const startedAt = performance.now()
  const count = Math.ceil(pods / replicas)
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      await client.create(Service, service(i))
      await client.create(Deployment, deployment(i, Math.min(replicas, pods - i * replicas)))
    }),
  )
  await until(async () => (await availablePods(client)) === pods, 600)
  const seconds = (performance.now() - startedAt) / 1000
  const peakRssBytes = process.resourceUsage().maxRSS * 1024
  collectGarbage()
  const bytesPerPod = Math.round((process.memoryUsage().heapUsed - heapBefore) / pods)
  await machine.stop()
  world.close()
  return {
    pods,
    nodes,
    podsPerSecond: Math.round(pods / seconds),
    seconds: Number(seconds.toFixed(3)),
    peakRssBytes,
    bytesPerPod,
  }
}

const describe = (result: Result): string =>
  `${result.pods} pods on ${result.nodes} nodes: ${result.seconds} s, ${result.podsPerSecond} pods/s ` +
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

export async function converge(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pods: { type: 'string', default: '10000' },
      nodes: { type: 'string', default: '100' },
      json: { type: 'boolean' },
      scaling: { type: 'boolean' },
    },
  })
  if (values.scaling !== true) {
    const result = await measure(Number(values.pods), Number(values.nodes))
    console.log(describe(result))
    if (values.json === true) console.log(JSON.stringify(result))
    return
  }
  const small = measureApart(2000, 20)
  const large = measureApart(20_000, 200)
  const ratio = Number((large.seconds / large.pods / (small.seconds / small.pods)).toFixed(2))
  console.log(`${describe(small)}\n${describe(large)}\na pod at 20,000 costs ${ratio} times one at 2,000`)
  if (values.json === true) console.log(JSON.stringify({ small, large, costRatio: ratio }))
}
