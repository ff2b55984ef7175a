// Puts a whole cluster and its reconciler together in a World: store, API server, and every loop in one runtime. Daemon,
// lab, bench and tests all start here. Loops reach the API through `turns`, so that each of their requests is a task of
// the world; doors (`handler`) reach it directly.

import type { ApiHandler, Caller } from '#api'
import { type ApiServer, createApiServer } from '#apiserver'
import { type Client, createClient } from '#client'
import type { Pod } from '#kinds'
import { matchesGlobs } from '#objects'
import { createRuntime, type LoopDefinition, type Runtime } from '#reconcile'
import { createMemoryStore, type Store } from '#store'
import type { World } from '#world'
import { ApiTrouble, createFaultsLoop, type NamedWebhookFault } from './faults/index.ts'
import { createResidents, type ResidentOptions, type Residents } from './residents.ts'
import { turns, unlessOutside } from './turns.ts'

export interface MachineOptions extends ResidentOptions {
  readonly world: World
  /** Which of the resident loops run; default: all. */
  readonly loops?: (loop: LoopDefinition) => boolean
  /** Loops beside the residents. */
  readonly extraLoops?: readonly LoopDefinition[]
  /** Default: a store in memory. The machine closes the store that it was given. */
  readonly store?: Store
  /** Around every request, of loops and doors alike: latency, faults, audit, recording. */
  readonly wrap?: (next: ApiHandler) => ApiHandler
  readonly resyncMs?: number
  /** PEM of the key that service account tokens are signed with. */
  readonly serviceAccountKey?: string
}

export interface Machine {
  readonly world: World
  readonly store: Store
  /** For doors and people: answers at once, in nobody's turn. */
  readonly handler: ApiHandler
  readonly runtime: Runtime
  readonly residents: Residents
  /** Who a service account token stands for. */
  readonly verifyToken: ApiServer['verifyToken']
  /** Whether a request from outside may be carried out. */
  readonly authorize: ApiServer['authorize']
  /** A client on `handler`; default caller: the cluster's administrator. */
  client(caller?: Partial<Caller>): Client
  start(): void
  /** Ends loops, watches and timers, and closes the store. */
  stop(): Promise<void>
}

export const administrator: Caller = {
  user: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
  userAgent: 'homeostat',
}

export function createMachine(options: MachineOptions): Machine {
  const { world, wrap = (next) => next } = options
  const store = options.store ?? createMemoryStore()
  const residents = createResidents(options)
  const { kubelet } = residents
  let webhookFaults: readonly NamedWebhookFault[] = []
  const server = createApiServer({
    world,
    store,
    ...(options.serviceAccountKey === undefined ? {} : { serviceAccountKey: options.serviceAccountKey }),
    ...(kubelet === undefined
      ? {}
      : {
          nodeGateway: { logs: (pod, request, signal) => kubelet.logs(pod as unknown as Pod, request, signal) },
          webhookNetwork: {
            troubleOf: (name) => webhookFaults.find(({ webhooks }) => matchesGlobs(webhooks, name)),
            serverOf: (pod) => kubelet.webhookOf(pod),
          },
          metrics: {
            node: ({ metadata }) => kubelet.nodeUsage(metadata.name ?? ''),
            pod: (pod) => kubelet.podUsage(pod),
          },
        }),
  })
  const trouble = new ApiTrouble(world)
  const all = wrap(trouble.wrap(server.handle))
  const handler = unlessOutside(world.clock, all)
  const faultsLoop = createFaultsLoop({
    runtime: () => runtime,
    api: trouble,
    kubelet,
    setWebhookFaults: (faults) => {
      webhookFaults = faults
    },
  })
  const runtime: Runtime = createRuntime({
    world,
    handler: turns(world.clock, all),
    loops: [...[...residents.loops, faultsLoop].filter(options.loops ?? (() => true)), ...(options.extraLoops ?? [])],
    ...(options.resyncMs === undefined ? {} : { resyncMs: options.resyncMs }),
  })
  return {
    world,
    store,
    handler,
    runtime,
    residents,
    verifyToken: (token) => server.verifyToken(token),
    authorize: server.authorize,
    client: (caller) => createClient(handler, { ...administrator, ...caller }),
    start: () => runtime.start(),
    async stop() {
      await runtime.stop()
      server.close()
      await store.close()
    },
  }
}
