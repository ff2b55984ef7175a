// Puts a whole cluster and its reconciler together in a World: store, API server, and every loop in one runtime. Daemon,
// lab, bench and tests all start here. Loops reach the API through `turns`, so that each of their requests is a task of
// the world; doors (`handler`) reach it directly.

import type { ApiHandler, Caller } from '#api'
import { type ApiServer, type ApiServerOptions, drawServiceAccountKey } from '#apiserver'
import { type Client, createClient } from '#client'
import type { LoopDefinition, Runtime } from '#reconcile'
import { createMemoryStore, type Store } from '#store'
import type { World } from '#world'
import { beginLife } from './life.ts'
import type { ResidentOptions, Residents } from './residents.ts'
import { unlessOutside } from './turns.ts'

export interface MachineOptions extends ResidentOptions {
  readonly world: World
  /** Which of the resident loops run; default: all. */
  readonly loops?: (loop: LoopDefinition) => boolean
  /** Which admission plug-ins work, if not those of a kube-apiserver without options. */
  readonly admission?: NonNullable<ApiServerOptions['admission']>
  /** Whose a bearer token is that the door knows beside those of service accounts. */
  readonly tokenUser?: NonNullable<ApiServerOptions['tokenUser']>
  /** Loops beside the residents. */
  readonly extraLoops?: readonly LoopDefinition[]
  /** Around every loop: watching what it is given and how long it takes. */
  readonly around?: (loop: LoopDefinition) => LoopDefinition
  /** Default: a store in memory. The machine closes the store that it was given. */
  readonly store?: Store
  /** Around every request, of loops and doors alike: latency, faults, audit, recording. */
  readonly wrap?: (next: ApiHandler) => ApiHandler
  /** Around the requests of loops alone: those that come in by a door are for the door to judge and to audit. */
  readonly wrapLoops?: (next: ApiHandler) => ApiHandler
  readonly resyncMs?: number
  /** PEM of the key that service account tokens are signed with. */
  readonly serviceAccountKey?: string
}

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

/** What every life of a machine stands on. */
export interface Foundation {
  readonly store: Store
  readonly serviceAccountKey: string | (() => string)
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
