// A second cluster beside the one that applications live in: another machine in the same virtual time, reached as over a
// network, which can be cut, slow, or refuse.

import { type ApiHandler, type ApiRequest, type ApiResponse, isNotFound, refusal } from '#api'
import type { Client, Connection, ObjectRef } from '#client'
import type { ClusterAccess } from '#gitops'
import type { Kind, Secret } from '#kinds'
import { createMachine, type Machine } from '#machine'
import type { KubeObject } from '#objects'
import type { SimulatedWorld } from '#world'

export const outsideServer = 'https://outside.example:6443'

export interface Outside {
  readonly machine: Machine
  readonly client: Client
  /** For createGitops. */
  readonly access: ClusterAccess
  /** What came in over the network since it was emptied. */
  readonly requests: ApiRequest[]
  /** Answered in the place of the server; undefined lets a request through. */
  answer: ((request: ApiRequest) => ApiResponse | 'silence' | undefined) | undefined
  /** Ends all watches, as when the server stops. */
  breakWatches(): void
  find<T extends KubeObject>(kind: Kind<T>, ref: ObjectRef): Promise<T | undefined>
  stop(): Promise<void>
}

export const unreachable: ApiResponse = refusal({
  code: 503,
  reason: 'ServiceUnavailable',
  message: `${outsideServer}: connect ECONNREFUSED 192.0.2.1:6443`,
})

export const unauthorized: ApiResponse = refusal({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })

export const forbidden = (message: string): ApiResponse => refusal({ code: 403, reason: 'Forbidden', message })

export function startOutside(world: SimulatedWorld, more: Omit<ClusterAccess, 'connect'> = {}): Outside {
  const machine = createMachine({
    world: { clock: world.clock, log: world.log, random: world.random.fork('outside') },
    instant: true,
  })
  machine.start()
  const client = machine.client()
  const watches = new Set<AbortController>()
  const outside: Outside = {
    machine,
    client,
    requests: [],
    answer: undefined,
    access: { connect: (connection) => ({ handler: networkTo(connection), close: () => {} }), ...more },
    breakWatches() {
      for (const watch of watches) watch.abort()
      watches.clear()
    },
    async find(kind, ref) {
      try {
        return await client.get(kind, ref)
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw error
      }
    },
    stop: () => world.drive(() => machine.stop()),
  }
  const networkTo =
    (connection: Connection): ApiHandler =>
    async (request, signal) => {
      await world.clock.turn(`to ${connection.server}`)
      outside.requests.push(request)
      const answer = outside.answer?.(request)
      if (answer === 'silence')
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      if (answer !== undefined) return answer
      if (request.verb !== 'watch') return machine.handler(request, signal)
      const watch = new AbortController()
      watches.add(watch)
      signal.addEventListener('abort', () => watch.abort())
      return machine.handler(request, watch.signal)
    }
  return outside
}

export function clusterSecret(
  fields: Readonly<Record<string, string>> = {},
  annotations: Readonly<Record<string, string>> = {},
): Secret {
  const stringData = {
    name: 'outside',
    server: outsideServer,
    config: JSON.stringify({ bearerToken: 'secret-token' }),
    ...fields,
  }
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: 'argocd',
      name: `cluster-${stringData.name}`,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      annotations,
    },
    stringData,
  }
}
