// A real API server over a store in memory and a simulated world, with a client on it: what the tests of this folder
// speak to.

import type { ApiHandler } from '#api'
import { type ApiServer, type ApiServerOptions, createApiServer, judged } from '#apiserver'
import { type Client, createClient } from '#client'
import { createMemoryStore, type Store } from '#store'
import { type SimulatedWorld, simulatedWorld } from '#world'

export interface TestServer {
  readonly world: SimulatedWorld
  readonly store: Store
  readonly handle: ApiHandler
  readonly client: Client
  readonly verifyToken: ApiServer['verifyToken']
  /** A client whose every request is judged, as at the door. */
  as(user: string, ...groups: readonly string[]): Client
}

export const tester = { user: 'tester', groups: ['system:masters', 'system:authenticated'], userAgent: 'tester/v1' }

export function startServer(seed = 1, options: Partial<ApiServerOptions> = {}): TestServer {
  const world = simulatedWorld(seed)
  const store = createMemoryStore()
  return serve(world, store, options)
}

/** Over a store that may be of an earlier server. */
export function serve(world: SimulatedWorld, store: Store, options: Partial<ApiServerOptions> = {}): TestServer {
  const { handle, decide, verifyToken } = createApiServer({ world, store, ...options })
  const atDoor = judged(decide)(handle)
  return {
    world,
    store,
    handle,
    client: createClient(handle, tester),
    verifyToken,
    as: (user, ...groups) =>
      createClient(atDoor, { user, groups: [...groups, 'system:authenticated'], userAgent: 'tester/v1' }),
  }
}
