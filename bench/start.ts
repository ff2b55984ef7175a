// How long a newcomer waits: from the start of the process until every application of the demo is Synced and Healthy,
// with pull and start delays off and set-up already done.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, httpHandler, readKubeconfig } from '#client'
import { Application } from '#kinds'
import { startDaemon, stopDaemon } from '../test/support/daemon-process.ts'
import { whole } from '../test/support/tool.ts'
import type { Measurement } from './measurement.ts'

const applications = 3

async function measure(): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'homeostat-bench-'))
  const startedAt = performance.now()
  const daemon = await startDaemon({ command: 'demo', dataDir, args: ['--instant'] })
  try {
    const handler = httpHandler(readKubeconfig(readFileSync(join(dataDir, 'kubeconfig'), 'utf8')))
    const client = createClient(handler, { user: '', groups: [], userAgent: 'bench' })
    for (;;) {
      const { items } = await client.list(Application, { namespace: 'argocd' })
      const done = items.filter(
        ({ status }) => status?.sync?.status === 'Synced' && status.health?.status === 'Healthy',
      )
      if (items.length === applications && done.length === applications) return (performance.now() - startedAt) / 1000
      if (performance.now() - startedAt > 60_000) throw new Error('the demo was not Synced and Healthy after 60 s')
      await delay(25)
    }
  } finally {
    await stopDaemon(daemon)
    rmSync(dataDir, { recursive: true, force: true })
  }
}

export const start: Measurement = (command) =>
  command
    .description('process start until the demo is Synced and Healthy')
    .option('--runs <count>', 'how many times', whole(1), 5)
    .action(run)

async function run({ runs, json }: { readonly runs: number; readonly json?: true }): Promise<void> {
  const seconds: number[] = []
  for (let i = 0; i < runs; i++) seconds.push(Number((await measure()).toFixed(2)))
  const sorted = [...seconds].sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  console.log(`start to Synced and Healthy: median ${median} s of ${seconds.join(', ')} s (the aim is under 3 s)`)
  if (json === true) console.log(JSON.stringify({ medianSeconds: median, seconds }))
}
