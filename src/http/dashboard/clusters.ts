// Clusters: the built-in one, those that Secrets describe, and contexts of a kubeconfig that the operator named; with how they
// are reached at this moment. Nothing secret of them is ever told.

import type { FastifyRequest } from 'fastify'
import { type ClusterEntry, type KnownCluster, refreshAnnotation, secretTypeLabel } from '#gitops'
import { Application, type Secret } from '#kinds'
import { formatTime } from '#objects'
import type { Caller } from './access/caller.ts'
import { type Context, pathParameter, queryOf } from './context.ts'
import { RestError } from './rest-error.ts'
import { describedSecrets } from './secret-fields.ts'

export interface ShownCluster {
  readonly server: string
  readonly name: string
  readonly project?: string
  readonly [field: string]: unknown
}

/** A cluster with the Secret that describes it; the built-in one and contexts have none. */
export interface Known extends KnownCluster {
  readonly secret?: Secret
}

export const clustersPath = '/api/v1/clusters'
const builtInVersion = '1.34'

export function clusterRoutes(context: Context): void {
  const { server, access } = context
  server.get(clustersPath, async (request) => {
    const seen = await clustersSeenBy(context, await access.callerOf(request))
    return { metadata: {}, items: seen.filter(filterOf(request)) }
  })
  server.get(`${clustersPath}/:id`, async (request) => {
    const caller = await access.callerOf(request)
    const found = (await clustersSeenBy(context, caller)).find(isNamed(request))
    if (found !== undefined) return found
    if (caller.user !== undefined && !(await caller.may({ resource: 'clusters', action: 'get', object: '*' })))
      throw new RestError('permissionDenied', 'permission denied')
    throw notFound(request)
  })
}

export const notFound = (request: FastifyRequest): RestError =>
  new RestError('notFound', `cluster ${JSON.stringify(pathParameter(request, 'id'))} not found`)

/** By `server`, `name`, or `id.value` with `id.type`. */
function filterOf(request: FastifyRequest): (cluster: ShownCluster) => boolean {
  const id = queryOf(request, 'id.value')
  const byName = queryOf(request, 'id.type')?.startsWith('name') === true
  const server = queryOf(request, 'server') ?? (byName ? undefined : id)
  const name = queryOf(request, 'name') ?? (byName ? id : undefined)
  return (cluster) =>
    (server === undefined || cluster.server === server) && (name === undefined || cluster.name === name)
}

/** Of a path: an address, or with `id.type=name` a name. */
export function isNamed(request: FastifyRequest): (cluster: Pick<ClusterEntry, 'server' | 'name'>) => boolean {
  const id = pathParameter(request, 'id')
  const byName = queryOf(request, 'id.type')?.startsWith('name') === true
  return ({ server, name }) => (byName ? name : server) === id
}

export const question = (action: string, { server, project }: Pick<ClusterEntry, 'server' | 'project'>) => ({
  resource: 'clusters',
  action,
  object: project === '' ? server : `${project}/${server}`,
})

/** Read from the server itself: whoever has just written sees it. */
export async function knownClusters(context: Context): Promise<readonly Known[]> {
  const { clusters } = context.gitops
  const described = (await describedSecrets(context, 'cluster')).map(
    ({ secret }): Known => ({ ...clusters.describe(secret), secret }),
  )
  return [...described, ...clusters.others(described.map(({ entry }) => entry))]
}

export async function clustersSeenBy(context: Context, caller: Caller): Promise<readonly ShownCluster[]> {
  const seen: Known[] = []
  for (const each of await knownClusters(context)) if (await caller.may(question('get', each.entry))) seen.push(each)
  const counts = await applicationCounts(context)
  return seen.map((each) => shown(each, counts))
}

async function applicationCounts({ client, cache, gitops }: Context): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const app of (await client.list(Application)).items) {
    const server = gitops.clusters.of(app, cache)?.server
    if (server !== undefined) counts.set(server, (counts.get(server) ?? 0) + 1)
  }
  return counts
}

export async function shownOne(context: Context, known: Known): Promise<ShownCluster> {
  return shown(known, await applicationCounts(context))
}

function shown(known: Known, counts: ReadonlyMap<string, number>): ShownCluster {
  const { entry, secret, serverVersion: told, apiVersions, cache } = known
  const { server, name, project, namespaces, clusterResources, way } = entry
  const isBuiltIn = way.type === 'built-in'
  const serverVersion = isBuiltIn ? builtInVersion : told
  const connectionState = isBuiltIn ? { status: 'Successful', message: '' } : connectionOf(known)
  const version = serverVersion === undefined ? {} : { serverVersion }
  const connection = way.type === 'connection' ? way.connection : undefined
  return {
    server,
    name,
    ...(project === '' ? {} : { project }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(clusterResources ? { clusterResources } : {}),
    ...(secret === undefined ? {} : shownMetadata(secret)),
    ...version,
    connectionState,
    info: {
      connectionState,
      ...version,
      applicationsCount: counts.get(server) ?? 0,
      ...(apiVersions.length === 0 ? {} : { apiVersions }),
      ...(cache === undefined
        ? {}
        : {
            cacheInfo: {
              resourcesCount: cache.resourcesCount,
              apisCount: cache.apisCount,
              lastCacheSyncTime: formatTime(cache.syncedAt),
            },
          }),
    },
    config: {
      tlsClientConfig: {
        insecure: connection?.insecure === true,
        ...(connection?.serverName === undefined ? {} : { serverName: connection.serverName }),
      },
    },
  }
}

function connectionOf({ connection: { status, message, attemptedAt } }: Known): object {
  return { status, message, ...(attemptedAt === undefined ? {} : { attemptedAt: formatTime(attemptedAt) }) }
}

/** What kubectl wrote there last is the whole Secret. */
function shownMetadata({ metadata }: Secret): object {
  const {
    'kubectl.kubernetes.io/last-applied-configuration': _applied,
    [refreshAnnotation]: refreshRequestedAt,
    ...annotations
  } = metadata.annotations ?? {}
  const { [secretTypeLabel]: _type, ...labels } = metadata.labels ?? {}
  return { labels, annotations, ...(refreshRequestedAt === undefined ? {} : { refreshRequestedAt }) }
}
