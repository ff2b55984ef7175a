// Puts a whole cluster and its reconciler together in a World: store, API server, and every loop in one runtime. Daemon,
// lab, bench and tests all start here. Loops reach the API through `turns`, so that each of their requests is a task of
// the world; doors (`handler`) reach it directly.

import type { ApiHandler, Caller } from '#api'
import { type ApiServer, drawServiceAccountKey } from '#apiserver'
import { type Client, createClient } from '#client'
import type { Runtime } from '#reconcile'
import { createMemoryStore, type Store } from '#store'
import type { World } from '#world'
import { beginLife } from './life.ts'
import type { Foundation, MachineOptions } from './options.ts'
import type { Residents } from './residents.ts'
import { unlessOutside } from './turns.ts'

export interface Machine {
  readonly world: World
  readonly store: Store
  /** For doors and people: answers at once, in nobody's turn. */
  readonly handler: ApiHandler
  /** The loops of now: a restart brings others. */
  readonly runtime: Runtime
  readonly residents: Residents
  /** Who a service account token stands for. */
  readonly verifyToken: ApiServer['verifyToken']
  /** Whether a request from outside may be carried out. */
  readonly decide: ApiServer['decide']
  /** A client on `handler`; default caller: the cluster's administrator. */
  client(caller?: Partial<Caller>): Client
  start(): void
  /** Another API server over the same store: watches end, requests under way fail, what it held in memory is read again. */
  restartServer(): void
  /** The process dies where it stands and another one begins, with nothing but what is stored. */
  restart(): void
  /** Ends loops, watches and timers, and closes the store. */
  stop(): Promise<void>
}

export const administrator: Caller = {
  user: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
  userAgent: 'homeostat',
}

export function createMachine(options: MachineOptions): Machine {
  const { world, store = createMemoryStore() } = options
  let drawn: string | undefined
  const foundation: Foundation = {
    store,
    serviceAccountKey:
      options.serviceAccountKey ??
      (() => {
        drawn ??= drawServiceAccountKey()
        return drawn
      }),
  }
  let lives = 1
  let started = false
  let life = beginLife(options, foundation, lives)
  const handler = unlessOutside(world.clock, (request, signal) => life.handler(request, signal))
  return {
    world,
    store,
    handler,
    get runtime() {
      return life.runtime
    },
    get residents() {
      return life.residents
    },
    verifyToken: (token) => life.server.verifyToken(token),
    decide: (question) => life.server.decide(question),
    client: (caller) => createClient(handler, { ...administrator, ...caller }),
    start() {
      started = true
      life.runtime.start()
    },
    restartServer: () => life.restartServer(),
    restart() {
      void life.end()
      lives += 1
      life = beginLife(options, foundation, lives)
      if (started) life.runtime.start()
    },
    async stop() {
      await life.end()
      await store.close()
    },
  }
}
