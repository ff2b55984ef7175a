// What the dashboard's interface costs with many applications: the list, the stream of applications as a page opens it, and
// the stream of all changes until its first message.

import { request } from 'node:http'
import type { Gitops } from '#gitops'
import { serveDashboard } from '#http'
import type { Machine } from '#machine'

export interface DoorFigures {
  readonly listBytes: number
  readonly listMs: number
  readonly streamBytes: number
  readonly streamMs: number
  readonly changesMs: number
}

export async function measureDoors(machine: Machine, gitops: Gitops): Promise<DoorFigures> {
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
  try {
    const list = await get('/api/v1/applications', () => false)
    const { metadata } = JSON.parse(list.text) as { readonly metadata: { readonly resourceVersion: string } }
    const streamed = `/api/v1/stream/applications?resourceVersion=${metadata.resourceVersion}`
    const stream = await get(streamed, (text) => text.length > 0)
    const changes = await get('/api/v1/homeostat/stream', (text) => text.includes('RELOAD'))
    return {
      listBytes: list.text.length,
      listMs: list.ms,
      streamBytes: stream.text.length,
      streamMs: stream.ms,
      changesMs: changes.ms,
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
