// The dashboard over a machine with its loops and reconciler in real time, ephemeral and without delays, and requests to
// it as a browser or a script makes them.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '#client'
import { createGitops, createTools } from '#gitops'
import { applicationMetrics, createMetrics, serveDashboard } from '#http'
import { createMachine, type Machine } from '#machine'
import { silentLog, systemWorld } from '#world'
import { pluginsIn } from '../support/plugins.ts'

export interface DashboardServer {
  readonly machine: Machine
  readonly client: Client
  readonly url: string
  newSignInPath(): string
  fetch(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export const token = 'dashboard-test-token'
const tokens = [
  { token, user: 'kubernetes-admin', groups: ['system:masters'] },
  { token: 'dev-token', user: 'dev', groups: ['developers'] },
]

export interface DashboardOptions {
  /** A repository on this machine that applications may use. */
  readonly repository?: string
  /** Documents of the plug-ins that may run. */
  readonly plugins?: readonly object[]
}

export async function openDashboard({ repository, plugins = [] }: DashboardOptions = {}): Promise<DashboardServer> {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-dashboard-'))
  const world = systemWorld({ log: silentLog, seed: 'dashboard' })
  const gitops = createGitops({
    world,
    directory: folder,
    pollMs: 0,
    local: repository === undefined ? [] : [{ path: repository }],
    plugins: pluginsIn(plugins),
    tools: createTools({ world, directory: folder, environment: { PATH: process.env['PATH'] }, offline: true }),
  })
  const machine = createMachine({ world, nodes: 1, instant: true, extraLoops: gitops.loops })
  const client = machine.client()
  const metrics = createMetrics({
    figures: () => machine.runtime.figures(),
    store: machine.store,
    version: 'test',
    more: applicationMetrics(client, world),
  })
  const dashboard = await serveDashboard({
    host: '127.0.0.1',
    port: 0,
    world,
    client,
    gitops,
    cacheFor: (reader, kinds) => machine.runtime.cacheFor(reader, kinds),
    figures: () => machine.runtime.figures(),
    ready: () => machine.runtime.synced(),
    version: 'test',
    names: ['localhost'],
    tokens: () => tokens,
    assets: join(folder, 'no-page'),
    metrics: () => metrics.render(),
  })
  machine.start()
  const closing = new AbortController()
  metrics.follow(closing.signal)
  const url = `http://127.0.0.1:${dashboard.port}`
  return {
    machine,
    client,
    url,
    newSignInPath: () => dashboard.newSignInPath(),
    fetch: (path, init = {}) => fetch(url + path, { redirect: 'manual', ...init }),
    async close() {
      closing.abort()
      await dashboard.close()
      await machine.stop()
      world.close()
      rmSync(folder, { recursive: true })
    },
  }
}
