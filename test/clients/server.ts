// An API server in this process for @kubernetes/client-node, which finds it by its kubeconfig as any program would.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { type ApiServer, type ApiServerOptions, startApiServer } from '#daemon/apiserver'

export interface ClientServer {
  readonly config: KubeConfig
  /** Stops the server; `start` begins another one on the same port over what is stored. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

export function configOf(kubeconfig: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  return config
}

export async function openServer(options: Partial<ApiServerOptions> = {}): Promise<ClientServer> {
  const folder = mkdtempSync(join(tmpdir(), 'homeostat-clients-'))
  const begin = (apiPort: number): Promise<ApiServer> =>
    startApiServer({
      dataDir: join(folder, 'data'),
      ephemeral: false,
      listen: '127.0.0.1',
      apiPort,
      nodes: 0,
      loops: 'none',
      speed: 1,
      instant: true,
      ...options,
    })
  let server = await begin(0)
  const port = Number(new URL(server.addresses.server).port)
  return {
    config: configOf(server.addresses.kubeconfig),
    stop: () => server.stop(),
    async start() {
      server = await begin(port)
    },
    async close() {
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
