// Changes of the Secrets that describe clusters: added, updated, forgotten, read anew. What a kubeconfig names is the
// operator's and is not changed here.

import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { refreshAnnotation, trimServer } from '#gitops'
import { Secret } from '#kinds'
import { formatTime, isEqual } from '#objects'
import type { Caller } from './access/caller.ts'
import { checked } from './body.ts'
import {
  clustersPath,
  isNamed,
  type Known,
  knownClusters,
  notFound,
  question,
  type ShownCluster,
  shownOne,
} from './clusters.ts'
import { type Context, fieldManager, pathParameter, queryList, queryOf } from './context.ts'
import { RestError } from './rest-error.ts'
import { rotateAuth } from './rotate-auth.ts'
import { type Description, describedSecrets, fieldsOf, replaceDescription, writeDescription } from './secret-fields.ts'

export function clusterChangeRoutes(context: Context): void {
  const { server, access } = context
  const one = `${clustersPath}/:id`
  server.post(clustersPath, async (request) => create(context, request, await access.changerOf(request)))
  server.put(one, async (request) => update(context, request, await access.changerOf(request)))
  server.delete(one, async (request) => remove(context, request, await access.changerOf(request)))
  server.post(`${one}/invalidate-cache`, async (request) =>
    invalidate(context, request, await access.changerOf(request)),
  )
  server.post(`${one}/rotate-auth`, async (request) => {
    const caller = await access.changerOf(request)
    const { secret, entry } = mustBeDescribed(await mustBeKnown(context, request, { caller, action: 'update' }))
    await rotateAuth(context, { secret, entry })
    return {}
  })
}

const textMap = z.record(z.string(), z.string()).nullish()

const clusterRequest = z.object({
  server: z.string().min(1),
  name: z.string().nullish(),
  project: z.string().nullish(),
  namespaces: z.array(z.string()).nullish(),
  clusterResources: z.boolean().nullish(),
  config: z.looseObject({}).nullish(),
  labels: textMap,
  annotations: textMap,
})

type Sent = z.infer<typeof clusterRequest>

/** The fields of the Secret; what is empty is left out. */
const fieldsIn = (sent: Sent, server: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      server,
      name: sent.name ?? server,
      config: JSON.stringify(sent.config ?? {}),
      project: sent.project ?? '',
      namespaces: (sent.namespaces ?? []).join(','),
      clusterResources: sent.clusterResources === true ? 'true' : '',
    }).filter(([, value]) => value !== ''),
  )

const descriptionOf = (sent: Sent, server: string): Description => ({
  ...{ type: 'cluster', prefix: 'cluster', identity: server, fields: fieldsIn(sent, server) },
  labels: sent.labels ?? {},
  annotations: sent.annotations ?? {},
})

async function create(context: Context, request: FastifyRequest, caller: Caller): Promise<ShownCluster> {
  const sent = checked(clusterRequest, request.body)
  const server = trimServer(sent.server)
  const project = sent.project ?? ''
  await caller.must(question('create', { server, project }))
  const description = descriptionOf(sent, server)
  const before = (await describedSecrets(context, 'cluster')).find((each) => each.fields['server'] === server)
  const isSame = before !== undefined && isEqual(before.fields, description.fields)
  if (before !== undefined && !isSame) {
    if (queryOf(request, 'upsert') !== 'true')
      throw new RestError('invalidArgument', 'existing cluster spec is different; use upsert flag to force update')
    await caller.must(question('update', { server, project: before.fields['project'] ?? '' }))
    await caller.must(question('update', { server, project }))
  }
  if (!isSame) await writeDescription(context, description, before?.secret)
  return written(context, server)
}

/** What was just written, as it is shown. */
async function written(context: Context, server: string): Promise<ShownCluster> {
  const known = (await knownClusters(context)).find(({ entry }) => entry.server === server)
  if (known === undefined)
    throw new RestError('internal', `cluster ${server}: its Secret vanished while it was written`)
  return shownOne(context, known)
}

interface Wish {
  readonly caller: Caller
  readonly action: 'update' | 'delete'
}

/** The cluster that a path names, if the caller may do that with it. */
async function mustBeKnown(context: Context, request: FastifyRequest, { caller, action }: Wish): Promise<Known> {
  const found = (await knownClusters(context)).find(({ entry }) => isNamed(request)(entry))
  const unknown = { server: pathParameter(request, 'id'), project: '' }
  await caller.must(question(action, found?.entry ?? unknown))
  if (found === undefined) throw notFound(request)
  return found
}

function mustBeDescribed({ secret, entry }: Known): Required<Pick<Known, 'secret' | 'entry'>> {
  if (secret !== undefined) return { secret, entry }
  throw new RestError(
    'failedPrecondition',
    `cluster ${entry.server} is not described by a Secret: it is ${entry.origin}`,
  )
}

const updatable = ['name', 'namespaces', 'config', 'clusterResources', 'labels', 'annotations', 'project'] as const

/** All of it, or the fields that `updatedFields` names. A config that is not sent stays as it is: it is never shown either. */
async function update(context: Context, request: FastifyRequest, caller: Caller): Promise<ShownCluster> {
  const before = mustBeDescribed(await mustBeKnown(context, request, { caller, action: 'update' }))
  const sent = checked(clusterRequest.partial({ server: true }), request.body)
  const { server } = before.entry
  const named = queryList(request, 'updatedFields')
  const isUpdated = (field: (typeof updatable)[number]): boolean =>
    (named.length === 0 || named.includes(field)) && !(field === 'config' && sent.config === undefined)
  if (isUpdated('project')) await caller.must(question('update', { server, project: sent.project ?? '' }))
  const fresh = descriptionOf({ ...sent, server }, server)
  const old = fieldsOf(before.secret)
  const fields = Object.fromEntries(
    ['server', 'name', 'config', 'project', 'namespaces', 'clusterResources', 'shard'].flatMap((field) => {
      const isNew = updatable.some((each) => each === field && isUpdated(each))
      const value = isNew ? fresh.fields[field] : old[field]
      return value === undefined ? [] : [[field, value] as const]
    }),
  )
  await replaceDescription(context, before.secret, {
    ...{ type: 'cluster', fields },
    ...(isUpdated('labels') ? { labels: sent.labels ?? {} } : {}),
    ...(isUpdated('annotations') ? { annotations: sent.annotations ?? {} } : {}),
  })
  return written(context, server)
}

async function remove(context: Context, request: FastifyRequest, caller: Caller): Promise<object> {
  const { secret } = mustBeDescribed(await mustBeKnown(context, request, { caller, action: 'delete' }))
  const { namespace = '', name = '' } = secret.metadata
  await context.client.delete(Secret, { namespace, name })
  return {}
}

/** All that is known of it is thrown away and read again. */
async function invalidate(context: Context, request: FastifyRequest, caller: Caller): Promise<ShownCluster> {
  const { secret, entry } = await mustBeKnown(context, request, { caller, action: 'update' })
  if (secret !== undefined) {
    const { namespace = '', name = '' } = secret.metadata
    const annotations = { [refreshAnnotation]: formatTime(context.world.clock.now()) }
    const type = 'application/merge-patch+json'
    await context.client.patch(Secret, { namespace, name }, { metadata: { annotations } }, { type, fieldManager })
  }
  context.gitops.clusters.forget(entry)
  return written(context, entry.server)
}
