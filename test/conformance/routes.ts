// The ways to an API server. The same suite runs over each, so that in-process loops and real clients see the same thing.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiHandler } from '#api'
import { httpHandler, readKubeconfig } from '#client'
import {
  adminToken,
  clusterNames,
  createAuthenticator,
  createKubeDoor,
  serveKube,
  servingCredentials,
  staticTokens,
  writeKubeconfig,
} from '#http'
import { createMachine, type Machine } from '#machine'
import { silentLog, systemWorld } from '#world'

export interface OpenRoute {
  readonly handler: ApiHandler
  /** Forgets the history so far. */
  compact(): void
  close(): Promise<void>
}

export interface Route {
  readonly name: string
  /** A fresh server, and the way to it. */
  open(): Promise<OpenRoute>
}

function freshMachine(): { readonly machine: Machine; compact(): void; close(): Promise<void> } {
  const world = systemWorld({ log: silentLog, seed: 'conformance' })
  const machine = createMachine({ world, loops: () => false })
  machine.start()
  return {
    machine,
    compact: () => machine.store.compact(machine.store.revision),
    async close() {
      await machine.stop()
      world.close()
    },
  }
}

const inProcess: Route = {
  name: 'in process',
  async open() {
    const { machine, compact, close } = freshMachine()
    return { handler: machine.handler, compact, close }
  },
}

/** Through the wire door: TLS, token, JSON. */
const http: Route = {
  name: 'over HTTPS',
  async open() {
    const { machine, compact, close } = freshMachine()
    const folder = mkdtempSync(join(tmpdir(), 'homeostat-conformance-'))
    const credentials = await servingCredentials(folder)
    const tokens = await staticTokens(folder)
    const door = createKubeDoor({
      handler: machine.handler,
      authenticate: createAuthenticator({ tokens: () => tokens }),
      decide: machine.decide,
      log: silentLog,
      names: clusterNames,
    })
    const server = await serveKube(door, credentials, { host: '127.0.0.1', port: 0 })
    const kubeconfig = join(folder, 'kubeconfig')
    await writeKubeconfig(kubeconfig, {
      server: `https://127.0.0.1:${server.port}`,
      authorityPem: credentials.authority.certificatePem,
      token: adminToken(tokens),
      dashboard: '',
    })
    const handler = httpHandler(readKubeconfig(readFileSync(kubeconfig, 'utf8')))
    return {
      handler,
      compact,
      async close() {
        handler.close()
        await server.close()
        await close()
        rmSync(folder, { recursive: true })
      },
    }
  },
}

export const routes: readonly Route[] = [inProcess, http]
