// Clusters: the built-in one, and those that Secrets describe (for generators of ApplicationSets). Nothing secret of them is
// ever told.

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { builtInServer } from '#gitops'
import { Application, Secret } from '#kinds'
import { isEqual } from '#objects'
import type { Caller } from './access/caller.ts'
import { checked } from './body.ts'
import { type Context, pathParameter, queryOf } from './context.ts'
import { RestError } from './rest-error.ts'
import { type Described, describedSecrets, writeDescription } from './secret-fields.ts'

export interface ShownCluster {
  readonly server: string
  readonly name: string
  readonly project?: string
  readonly [field: string]: unknown
}

const path = '/api/v1/clusters'
const builtInVersion = '1.34'

export function clusterRoutes(context: Context): void {
  const { server, access } = context
  server.get(path, async (request) => {
    const seen = await clustersSeenBy(context, await access.callerOf(request))
    return { metadata: {}, items: seen.filter(filterOf(request)) }
  })
  server.post(path, async (request) => create(context, request, await access.changerOf(request)))
  server.get(`${path}/:id`, async (request) => {
    const caller = await access.callerOf(request)
    const found = (await clustersSeenBy(context, caller)).find(isNamed(request))
    if (found !== undefined) return found
    if (caller.user !== undefined && !(await caller.may({ resource: 'clusters', action: 'get', object: '*' })))
      throw new RestError('permissionDenied', 'permission denied')
    throw new RestError('notFound', `cluster ${JSON.stringify(pathParameter(request, 'id'))} not found`)
  })
  server.delete(`${path}/:id`, async (request) => remove(context, request, await access.changerOf(request)))
}

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
function isNamed(request: FastifyRequest): (cluster: ShownCluster) => boolean {
  const id = pathParameter(request, 'id')
  const byName = queryOf(request, 'id.type')?.startsWith('name') === true
  return ({ server, name }) => (byName ? name : server) === id
}

const question = (action: string, { server, project = '' }: Pick<ShownCluster, 'server' | 'project'>) => ({
  resource: 'clusters',
  action,
  object: project === '' ? server : `${project}/${server}`,
})

export async function clustersSeenBy(context: Context, caller: Caller): Promise<readonly ShownCluster[]> {
  const described = (await describedSecrets(context, 'cluster')).map(shown)
  const isDescribed = described.some(({ server }) => server === builtInServer)
  const all = isDescribed ? described : [...described, await builtInCluster(context)]
  const seen: ShownCluster[] = []
  for (const each of all) if (await caller.may(question('get', each))) seen.push(each)
  return seen
}

async function builtInCluster({ client }: Context): Promise<ShownCluster> {
  const { items } = await client.list(Application)
  const count = items.filter(({ spec }) => [undefined, builtInServer].includes(spec.destination.server)).length
  const connectionState = { status: 'Successful', message: '' }
  return {
    name: 'in-cluster',
    server: builtInServer,
    serverVersion: builtInVersion,
    connectionState,
    info: { applicationsCount: count, serverVersion: builtInVersion, connectionState },
    config: { tlsClientConfig: { insecure: false } },
  }
}

/** A cluster that this process does not reach itself: driving it is not possible, so its state is not known. */
function shown({ secret, fields }: Described): ShownCluster {
  const { server = '', name = '', project, namespaces } = fields
  const connectionState = { status: 'Unknown', message: '' }
  return {
    server,
    name,
    ...(project === undefined ? {} : { project }),
    ...(namespaces === undefined ? {} : { namespaces: namespaces.split(',').map((each) => each.trim()) }),
    ...(secret.metadata.labels === undefined ? {} : { labels: secret.metadata.labels }),
    annotations: shownAnnotations(secret),
    connectionState,
    info: { applicationsCount: 0, connectionState },
    config: { tlsClientConfig: { insecure: false } },
  }
}

/** What kubectl wrote there last is the whole Secret. */
function shownAnnotations({ metadata }: Secret): Readonly<Record<string, string>> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _applied, ...shownOnes } = metadata.annotations ?? {}
  return shownOnes
}

const textMap = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {})

const clusterRequest = z.object({
  server: z.string().min(1),
  name: z.string().nullish(),
  project: z.string().nullish(),
  namespaces: z.array(z.string()).nullish(),
  config: z.looseObject({}).nullish(),
  labels: textMap,
  annotations: textMap,
})

async function create(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const { server, labels, annotations, ...rest } = checked(clusterRequest, request.body)
  const project = rest.project ?? ''
  await caller.must(question('create', { server, project }))
  const fields: Record<string, string> = {
    server,
    name: rest.name ?? server,
    config: JSON.stringify(rest.config ?? {}),
    ...(project === '' ? {} : { project }),
    ...(rest.namespaces === undefined || rest.namespaces === null ? {} : { namespaces: rest.namespaces.join(',') }),
  }
  const before = (await describedSecrets(context, 'cluster')).find((each) => each.fields['server'] === server)
  const isSame = before !== undefined && isEqual(before.fields, fields)
  if (before !== undefined && !isSame) {
    if (queryOf(request, 'upsert') !== 'true')
      throw new RestError('invalidArgument', 'existing cluster spec is different; use upsert flag to force update')
    await caller.must(question('update', shown(before)))
    await caller.must(question('update', { server, project }))
  }
  const description = { type: 'cluster', prefix: 'cluster', identity: server, fields, labels, annotations }
  if (!isSame) await writeDescription(context, description, before?.secret)
  const written = (await describedSecrets(context, 'cluster')).find((each) => each.fields['server'] === server)
  if (written === undefined)
    throw new RestError('internal', `cluster ${server}: its Secret vanished while it was written`)
  return shown(written)
}

async function remove(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const found = (await describedSecrets(context, 'cluster')).find((each) => isNamed(request)(shown(each)))
  const id = pathParameter(request, 'id')
  await caller.must(question('delete', found === undefined ? { server: id } : shown(found)))
  if (found === undefined) throw new RestError('notFound', `cluster ${JSON.stringify(id)} not found`)
  const { namespace = '', name = '' } = found.secret.metadata
  await context.client.delete(Secret, { namespace, name })
  return {}
}
