// Keeps the lines to outside clusters: opened when an application is to live there, asked again and again whether they answer
// and what they serve, closed when no application needs them. A key is a server. Applications are woken by what it finds.
// Reads: cluster Secrets, Applications, the outside clusters' version and APIs.  Writes: nothing.

import { Application, Secret } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Kit, type LoopDefinition, type Outcome, requeueAfter, watching } from '#reconcile'
import { trimServer } from './cluster-entry.ts'
import { isClusterSecret } from './cluster-secret.ts'
import type { Clusters } from './clusters.ts'
import type { OutsideCluster } from './outside-cluster.ts'

const clusterLoopName = 'cluster-connections'

/** How often a cluster is asked whether it is still there. */
const probeMs = 10_000
const probeLimitMs = 10_000
/** Between attempts at a cluster that is away. */
const backoff = { firstMs: 1000, maxMs: 20_000 }

export interface ClusterLoopOptions {
  readonly clusters: Clusters
  /** In whose name: that of the applications' controller. */
  readonly user: string
  readonly manager: string
}

export function clusterLoop({ clusters, user, manager }: ClusterLoopOptions): LoopDefinition {
  return {
    name: clusterLoopName,
    user,
    manager,
    watches: [
      watching(Secret, (secret, old) => [...serverOf(secret), ...serverOf(old)]),
      watching(Application, (app, old, cache) =>
        app.spec.destination === old?.spec.destination
          ? []
          : [...serversNamed(clusters, cache, app), ...serversNamed(clusters, cache, old)],
      ),
    ],
    startKeys: clusters.contextServers,
    wakes: (wake) => {
      const end = clusters.onAsked(wake)
      return () => {
        end()
        clusters.closeAll()
      }
    },
    workers: 10,
    backoff,
    reconcile: (server, kit) => reconcile({ clusters, server, kit }),
  }
}

const serverOf = (secret: Secret | undefined): readonly string[] =>
  secret === undefined || !isClusterSecret(secret)
    ? []
    : [
        trimServer(
          Buffer.from(secret.data?.['server'] ?? '', 'base64')
            .toString('utf8')
            .trim(),
        ),
      ]

function serversNamed(clusters: Clusters, cache: Cache, app: Application | undefined): readonly string[] {
  const entry = app === undefined ? '' : clusters.resolve(cache, app.spec.destination)
  return typeof entry === 'string' || entry.way.type === 'built-in' ? [] : [entry.server]
}

interface Asking {
  readonly clusters: Clusters
  readonly server: string
  readonly kit: Kit
}

async function reconcile({ clusters, server, kit }: Asking): Promise<Outcome> {
  const entry = clusters.entries(kit.cache).find((each) => each.server === server)
  const users = entry === undefined ? [] : usersOf(clusters, kit.cache, server)
  if (entry?.way.type !== 'connection' || users.length === 0 || !clusters.reachesOthers) {
    clusters.close(server)
    return done()
  }
  const outside = clusters.open(entry)
  const signal = AbortSignal.any([kit.signal, AbortSignal.timeout(probeLimitMs)])
  try {
    const found = await outside.probe(signal)
    const isNews = outside.state.type !== 'connected'
    outside.connected(found)
    if (isNews) {
      kit.world.log.info(`connected to cluster ${server}`, { version: found.version })
      clusters.wake(users)
    }
    return requeueAfter(probeMs)
  } catch (error) {
    if (kit.signal.aborted) throw error
    throw tellFailure({ clusters, server, kit }, { outside, users, error })
  }
}

interface Failure {
  readonly outside: OutsideCluster
  readonly users: readonly string[]
  readonly error: unknown
}

/** Who does not answer once may only have been busy: then nobody is told yet. */
function tellFailure({ clusters, server }: Asking, { outside, users, error }: Failure): Error {
  const isLate = error instanceof Error && error.name === 'TimeoutError'
  const reason = isLate ? `no answer within ${probeLimitMs / 1000} s` : outside.reason(error)
  const message = `failed to sync cluster ${server}: ${reason}`
  const before = outside.state
  outside.failed(message)
  const isNews = outside.state.type === 'failed' && (before.type !== 'failed' || before.message !== message)
  if (isNews) clusters.wake(users)
  return new Error(message)
}

const usersOf = (clusters: Clusters, cache: Cache, server: string): readonly string[] =>
  cache
    .list(Application)
    .filter(({ spec }) => {
      const entry = clusters.resolve(cache, spec.destination)
      return typeof entry !== 'string' && entry.server === server
    })
    .map(objectKey)
