// A real API server over a store in memory and a simulated world, with a client on it: what the tests of this folder
// speak to.

import type { ApiHandler } from '#api'
import { type ApiServerOptions, createApiServer } from '#apiserver'
import { type Client, createClient } from '#client'
import { createMemoryStore, type Store } from '#store'
import { type SimulatedWorld, simulatedWorld } from '#world'

export interface TestServer {
  readonly world: SimulatedWorld
  readonly store: Store
  readonly handle: ApiHandler
  readonly client: Client
}

export const tester = { user: 'tester', groups: ['system:masters', 'system:authenticated'], userAgent: 'tester/v1' }

export function startServer(seed = 1, options: Partial<ApiServerOptions> = {}): TestServer {
  const world = simulatedWorld(seed)
  const store = createMemoryStore()
  const { handle } = createApiServer({ world, store, ...options })
  return { world, store, handle, client: createClient(handle, tester) }
}
