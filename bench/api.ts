// What an API server takes to answer, over HTTPS from another process: create, get, list, apply, watch, and what a long list
// makes others wait. The same client measures any other API server, by --server and --token.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readKubeconfig, startApiServerProcess } from '../test/support/daemon-process.ts'
import { whole } from '../test/support/tool.ts'
import { type BenchClient, connectTo, type Target } from './api-client.ts'
import type { Measurement } from './measurement.ts'

const namespace = `bench-${process.pid}`
const pods = `/api/v1/namespaces/${namespace}/pods`
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`
const json = 'application/json'
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
/** Requests at a time, as of a controller with a few workers. */
const workers = 10
const watchers = 100
/** Of one connection: servers allow a hundred streams on each. */
const watchersEach = 50

interface Figures {
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly perSecond: number
}

const rounded = (value: number): number => Number(value.toFixed(value < 10 ? 2 : 1))

function figuresOf(latencies: readonly number[], seconds: number): Figures {
  const sorted = [...latencies].sort((a, b) => a - b)
  const at = (share: number): number =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { requests: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), perSecond: Math.round(sorted.length / seconds) }
}

/** Sends `count` requests, `atATime` together. */
async function measure(count: number, send: (i: number) => Promise<unknown>, atATime = workers): Promise<Figures> {
  const latencies: number[] = []
  let next = 0
  const begunAt = performance.now()
  const work = async (): Promise<void> => {
    while (next < count) {
      const i = next
      next += 1
      const sentAt = performance.now()
      await send(i)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return figuresOf(latencies, (performance.now() - begunAt) / 1000)
}

const pod = (i: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `pod-${i}`, labels: { app: `app-${i % 100}` } },
  spec: {
    // Nobody is to run them on a server with nodes.
    schedulerName: 'nobody',
    automountServiceAccountToken: false,
    containers: [{ name: 'app', image: 'registry.example.com/app:1', resources: { requests: { cpu: '10m' } } }],
  },
})

const applied = (i: number, count: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `applied-${i % 100}` },
  data: { count: `${count}`, text: 'x'.repeat(500) },
})

/** From sending a write until each of a hundred watchers has heard of it. */
async function fanOut(target: Target, client: BenchClient, writes: number) {
  const clients = await Promise.all(Array.from({ length: watchers / watchersEach }, () => connectTo(target)))
  const latencies: number[] = []
  let sentAt = 0
  let heard: () => void = () => {}
  const onEvent = (line: string): void => {
    if (!line.includes('"fan-out"')) return
    latencies.push(performance.now() - sentAt)
    if (latencies.length % watchers === 0) heard()
  }
  const selected = `${configMaps}?watch=1&fieldSelector=metadata.name%3Dfan-out`
  await Promise.all(clients.flatMap((one) => Array.from({ length: watchersEach }, () => one.watch(selected, onEvent))))
  const begunAt = performance.now()
  for (let i = 0; i < writes; i++) {
    const all = new Promise<void>((resolve) => {
      heard = resolve
    })
    sentAt = performance.now()
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fan-out' }, data: { count: `${i}` } }
    const path = `${configMaps}/fan-out?fieldManager=bench&force=true`
    await client.send(path, { method: 'PATCH', contentType: 'application/apply-patch+yaml', body })
    await all
  }
  const seconds = (performance.now() - begunAt) / 1000
  for (const one of clients) one.close()
  const { requests: events, perSecond: eventsPerSecond, ...rest } = figuresOf(latencies, seconds)
  return { watchers, events, eventsPerSecond, ...rest }
}

interface Waits {
  readonly idleMs: number
  readonly longestMs: number
  /** What the server itself worked meanwhile: does not depend on what else the machine does. Only of our own, on Linux. */
  readonly longestCpuMs?: number
}

/** What small requests wait, one after the other, while another process lists all pods. */
async function waitsDuring(target: Target, client: BenchClient, accept: string): Promise<Waits> {
  const probe = async (isOver: () => boolean): Promise<Waits> => {
    let [longestMs, longestCpuMs] = [0, 0]
    while (!isOver()) {
      const [sentAt, cpuAt] = [performance.now(), target.cpuMs?.() ?? 0]
      await client.send(`${configMaps}/applied-0`)
      longestCpuMs = Math.max(longestCpuMs, (target.cpuMs?.() ?? 0) - cpuAt)
      longestMs = Math.max(longestMs, performance.now() - sentAt)
    }
    const cpu = target.cpuMs === undefined ? {} : { longestCpuMs: rounded(longestCpuMs) }
    return { idleMs: 0, longestMs: rounded(longestMs), ...cpu }
  }
  const idleUntil = performance.now() + 1000
  const { longestMs: idleMs } = await probe(() => performance.now() > idleUntil)
  const args = [...process.execArgv, join(import.meta.dirname, 'api-lister.ts'), accept, pods, '5']
  const env = { ...process.env, BENCH_SERVER: target.server, BENCH_TOKEN: target.token }
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  let isOver = false
  child.once('close', () => {
    isOver = true
  })
  await once(child.stdout, 'data')
  return { ...(await probe(() => isOver)), idleMs }
}

async function run(target: Target, count: number) {
  const client = await connectTo(target)
  const post = (path: string, body: object): Promise<number> => client.send(path, { method: 'POST', body })
  await post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  try {
    const create = await measure(count, (i) => post(pods, pod(i)))
    const get = await measure(5000, (i) => client.send(`${pods}/pod-${(i * 7919) % count}`))
    const apply = await measure(2000, (i) =>
      client.send(`${configMaps}/applied-${i % 100}?fieldManager=bench`, {
        method: 'PATCH',
        contentType: 'application/apply-patch+yaml',
        body: applied(i, i),
      }),
    )
    const waits = { json: await waitsDuring(target, client, json), table: await waitsDuring(target, client, table) }
    const listJson = await measure(10, () => client.send(pods, { accept: json }), 1)
    const listTable = await measure(10, () => client.send(pods, { accept: table }), 1)
    const watch = await fanOut(target, client, 200)
    return { pods: count, create, get, apply, listJson, listTable, watch, waits }
  } finally {
    await client.send(`${pods}?gracePeriodSeconds=0`, { method: 'DELETE' }).catch(() => undefined)
    await client.send(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' }).catch(() => undefined)
    client.close()
  }
}

type Result = Awaited<ReturnType<typeof run>>

function describe({ pods: count, create, get, apply, listJson, listTable, watch, waits }: Result): string {
  const line = (name: string, { p50Ms, p99Ms, perSecond }: Figures): string =>
    `${name.padEnd(28)} p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${perSecond} requests/s`
  const wait = ({ idleMs, longestMs, longestCpuMs }: Waits): string =>
    `${longestMs} ms (without it ${idleMs} ms${longestCpuMs === undefined ? '' : `; the server worked ${longestCpuMs} ms of it`})`
  return [
    line('create a pod', create),
    line('get a pod', get),
    line('apply a ConfigMap', apply),
    line(`list ${count} pods as JSON`, listJson),
    line(`list ${count} pods as a Table`, listTable),
    `${`watch, ${watch.watchers} watchers`.padEnd(28)} p50 ${watch.p50Ms} ms, p99 ${watch.p99Ms} ms from write to event, ${watch.eventsPerSecond} events/s`,
    `longest wait of another request while pods are listed: JSON ${wait(waits.json)}, Table ${wait(waits.table)}`,
  ].join('\n')
}

/** Of a process's main thread. */
function cpuClockOf(pid: number): Pick<Target, 'cpuMs'> {
  const path = `/proc/${pid}/schedstat`
  if (!existsSync(path)) return {}
  return { cpuMs: () => Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e6 }
}

interface Options {
  readonly pods: number
  readonly server?: string
  readonly token: string
  readonly json?: true
}

export const api: Measurement = (command) =>
  command
    .description('requests over HTTPS to an API server alone, or to any other')
    .option('--pods <count>', 'how many there are to list', whole(1), 10_000)
    .option('--server <url>', 'measure this one')
    .option('--token <token>', 'who asks it', '')
    .action(measureServer)

async function measureServer({ pods, server, token, json }: Options): Promise<void> {
  const own = server === undefined ? await startApiServerProcess('--loops', 'none') : undefined
  try {
    const found = own === undefined ? undefined : readKubeconfig(own.kubeconfig)
    const cpuMs = own === undefined ? {} : cpuClockOf(own.process.pid ?? 0)
    const target = found === undefined ? { server: server ?? '', token } : { ...found, ...cpuMs }
    const result = await run(target, pods)
    console.log(describe(result))
    if (json === true) console.log(JSON.stringify(result))
  } finally {
    await own?.stop()
  }
}
