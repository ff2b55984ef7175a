// What the dashboard's interface costs with many applications: the list, the stream of applications as a page opens it, and
// the stream of all changes until its first message.

import { request } from 'node:http'
import type { Gitops } from '#gitops'
import { serveDashboard } from '#http'
import type { Machine } from '#machine'

export interface DoorFigures {
  readonly listBytes: number
  readonly listMs: number
  /** With the fields that the page shows. */
  readonly fewFieldsBytes: number
  /** What the page reads when it opens: all applications. */
  readonly streamBytes: number
  readonly streamMs: number
  /** From opening the stream of all changes until it says so. */
  readonly changesMs: number
  /** What all this costs the server. */
  readonly cpuMs: number
}

export async function measureDoors(machine: Machine, gitops: Gitops, apps: number): Promise<DoorFigures> {
  const dashboard = await serveDashboard({
    host: '127.0.0.1',
    port: 0,
    names: ['localhost'],
    tokens: () => [],
    assets: '/nonexistent',
    metrics: async () => ({ text: '', contentType: 'text/plain' }),
    world: machine.world,
    client: machine.client(),
    cacheFor: (reader, kinds) => machine.runtime.cacheFor(reader, kinds),
    figures: () => machine.runtime.figures(),
    ready: () => machine.runtime.synced(),
    gitops,
    version: 'bench',
  })
  const get = (path: string, enough: (text: string) => boolean) => measure(dashboard.port, path, enough)
  const before = process.cpuUsage()
  try {
    const list = await get('/api/v1/applications', () => false)
    const fields = ['metadata', 'spec', 'status.sync.status', 'status.health', 'status.operationState.phase']
    const few = await get(`/api/v1/applications?fields=${fields.map((field) => `items.${field}`)}`, () => false)
    let streamed = 0
    const stream = await get('/api/v1/stream/applications', (text) => {
      streamed += text.split('\n').length - 1
      return streamed > apps
    })
    const changes = await get('/api/v1/homeostat/stream', (text) => text.includes('RELOAD'))
    const { user, system } = process.cpuUsage(before)
    return {
      listBytes: list.text.length,
      listMs: list.ms,
      fewFieldsBytes: few.text.length,
      streamBytes: stream.text.length,
      streamMs: stream.ms,
      changesMs: changes.ms,
      cpuMs: Math.round((user + system) / 1000),
    }
  } finally {
    await dashboard.close()
  }
}

/** Reads until the answer ends or there is enough of it. */
function measure(port: number, path: string, enough: (text: string) => boolean) {
  const begunAt = performance.now()
  return new Promise<{ readonly text: string; readonly ms: number }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host: `localhost:${port}` } }, (response) => {
      const chunks: string[] = []
      const end = (): void => resolve({ text: chunks.join(''), ms: Math.round(performance.now() - begunAt) })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        chunks.push(chunk)
        if (!enough(chunk)) return
        end()
        response.destroy()
      })
      response.on('end', end)
      response.on('error', end)
    })
    sent.on('error', reject)
    sent.end()
  })
}
