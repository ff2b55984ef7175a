// One life of the process over a store: an API server, which may be replaced meanwhile, and every loop. What a life holds in
// memory ends with it; the next one begins with nothing but what is stored.

import type { ApiHandler } from '#api'
import { type ApiServer, createApiServer } from '#apiserver'
import type { Pod } from '#kinds'
import { matchesGlobs } from '#objects'
import { createRuntime, type LoopDefinition, type Runtime } from '#reconcile'
import type { World } from '#world'
import { ApiTrouble, createFaultsLoop, faultsLoop, faultsUser, type NamedWebhookFault } from './faults/index.ts'
import { grantsFor } from './grants.ts'
import { type Lease, leaseOf } from './lease.ts'
import type { Foundation, MachineOptions } from './options.ts'
import { createResidents, type ResidentOptions, type Residents } from './residents.ts'
import { turns } from './turns.ts'

export interface Life {
  readonly residents: Residents
  readonly runtime: Runtime
  /** The API server of now. */
  readonly server: ApiServer
  readonly handler: ApiHandler
  restartServer(): void
  /** Ends loops, watches and timers where they stand; resolves when no reconcile is under way any more. */
  end(): Promise<void>
}

/** Uids, names and addresses that were drawn once are not drawn again after a restart. */
const worldAnew = ({ clock, log, random }: World, name: string): World => ({ clock, log, random: random.fork(name) })

export function beginLife(options: MachineOptions, { store, serviceAccountKey }: Foundation, number: number): Life {
  const world = number === 1 ? options.world : worldAnew(options.world, `life ${number}`)
  const residents = createResidents(options)
  const { kubelet } = residents
  const grants = grantsFor(new Set(usersOf(options, residents.loops)))
  let webhookFaults: readonly NamedWebhookFault[] = []
  const begin = (servers: number): { readonly server: ApiServer; readonly lease: Lease } => {
    const lease = leaseOf(store)
    const server = createApiServer({
      world: servers === 1 ? world : worldAnew(world, `server ${servers}`),
      store: lease.store,
      serviceAccountKey,
      grants,
      isRunning: (component) => runsAny(runtime, residents.components[component]),
      ...(options.admission === undefined ? {} : { admission: options.admission }),
      ...(options.tokenUser === undefined ? {} : { tokenUser: options.tokenUser }),
      ...nodeSide(kubelet, (name) => webhookFaults.find(({ webhooks }) => matchesGlobs(webhooks, name))),
    })
    return { server, lease }
  }
  let servers = 1
  let current = begin(servers)
  const endServer = (): void => {
    current.lease.end()
    current.server.close()
  }
  const trouble = new ApiTrouble(world)
  const handler = (options.wrap ?? same)(trouble.wrap((request, signal) => current.server.handle(request, signal)))
  const faults = createFaultsLoop({
    runtime: () => runtime,
    api: trouble,
    kubelet,
    setWebhookFaults: (named) => {
      webhookFaults = named
    },
  })
  const runtime: Runtime = createRuntime({
    world,
    handler: turns(world.clock, (options.wrapLoops ?? same)(handler)),
    loops: loopsOf(options, [...residents.loops, faults]),
    ...(options.resyncMs === undefined ? {} : { resyncMs: options.resyncMs }),
  })
  // Which nodes are offline is known only when the Faults have been read.
  if (runtime.loops.includes(faults)) kubelet?.hold()
  return {
    residents,
    runtime,
    get server() {
      return current.server
    },
    handler,
    restartServer() {
      endServer()
      servers += 1
      current = begin(servers)
    },
    async end() {
      const resting = runtime.stop()
      endServer()
      await resting
    },
  }
}

/** Names of the loops that `MachineOptions.loops` chooses from. */
export const residentLoopNames = (options: ResidentOptions = {}): readonly string[] => [
  ...createResidents(options).loops.map(({ name }) => name),
  faultsLoop,
]

const runsAny = (runtime: Runtime, loops: readonly LoopDefinition[]): boolean =>
  loops.some(({ name }) => runtime.loops.some((loop) => loop.name === name))

const same = <T>(value: T): T => value

/** In whose names loops write, the one of the Faults among them. */
const usersOf = (options: MachineOptions, residents: readonly LoopDefinition[]): readonly string[] => [
  faultsUser,
  ...loopsOf(options, residents).map(({ user }) => user),
]

function loopsOf({ loops, extraLoops = [], around = same }: MachineOptions, own: readonly LoopDefinition[]) {
  return [...own.filter(loops ?? (() => true)), ...extraLoops].map(around)
}

/** What an API server asks the nodes. */
function nodeSide(kubelet: Residents['kubelet'], troubleOf: (webhook: string) => NamedWebhookFault | undefined) {
  return kubelet === undefined
    ? {}
    : ({
        nodeGateway: {
          reach: (node) => kubelet.reach(node),
          logs: (pod, request, signal) => kubelet.logs(pod as unknown as Pod, request, signal),
          run: (pod, options, streams, signal) => kubelet.run(pod as unknown as Pod, options, streams, signal),
          connect: (pod, port, connection, signal) => kubelet.connect(pod as unknown as Pod, port, connection, signal),
          request: (pod, request, signal) => kubelet.request(pod as unknown as Pod, request, signal),
          simulation: (pod) => kubelet.simulationOf(pod as unknown as Pod),
          nodeSimulation: (name) => ({ containers: [], node: kubelet.rulesOfNode(name) }),
        },
        webhookNetwork: {
          troubleOf,
          serverOf: (pod) => kubelet.webhookOf(pod),
          knock: (pod, port) => kubelet.answerOf(pod, port, 'TCP'),
        },
        metrics: {
          node: ({ metadata }) => kubelet.nodeUsage(metadata.name ?? ''),
          pod: (pod) => kubelet.podUsage(pod),
        },
      } satisfies Pick<Parameters<typeof createApiServer>[0], 'nodeGateway' | 'webhookNetwork' | 'metrics'>)
}
