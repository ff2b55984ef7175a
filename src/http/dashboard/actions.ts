// Actions on the resources of an application: which there are, and running one. What an action writes is planned by the
// reconciler; it is written here, in the name of whoever asked.

import type { FastifyRequest } from 'fastify'
import { isNotFound } from '#api'
import type { PlannedWrite } from '#gitops'
import type { Application } from '#kinds'
import type { AnyObject } from '#objects'
import type { Caller } from './access/caller.ts'
import { tellAction } from './action-events.ts'
import { actionRequest, checked } from './body.ts'
import { type Context, fieldManager, readApplication, resourceRef } from './context.ts'
import { builtInPlace, type Place, placeOf } from './place.ts'
import { isItself, mustBelong, mustRead } from './resources.ts'
import { RestError } from './rest-error.ts'
import type { NodeRef } from './tree-node.ts'

export function actionRoutes(context: Context): void {
  const { server, access } = context
  const path = '/api/v1/applications/:name/resource/actions'
  server.get(path, async (request) => {
    const application = await readApplication(context, request)
    const { object } = await actedOn(context, application, resourceRef(request))
    return { actions: await context.gitops.actions.list(object) }
  })
  server.post(path, async (request) => {
    const caller = await access.changerOf(request)
    return run(context, request, { caller, ref: resourceRef(request), action: nameIn(request.body), parameters: {} })
  })
  server.post(`${path}/v2`, async (request) => {
    const caller = await access.changerOf(request)
    const { action, resourceActionParameters = [], ...resource } = checked(actionRequest, request.body)
    const { kind, resourceName: name, group = '', version = '', namespace = '' } = resource
    const parameters = Object.fromEntries(resourceActionParameters.map((each) => [each.name, each.value]))
    return run(context, request, { caller, ref: { group, version, kind, namespace, name }, action, parameters })
  })
}

/** A JSON text, or the text itself. */
function nameIn(body: unknown): string {
  if (typeof body === 'string' && body !== '') return body
  throw new RestError('invalidArgument', 'the body must be the name of the action, as a JSON string')
}

interface Run {
  readonly caller: Caller
  readonly ref: NodeRef
  readonly action: string
  readonly parameters: Readonly<Record<string, string>>
}

async function run(
  context: Context,
  request: FastifyRequest,
  { caller, ref, action, parameters }: Run,
): Promise<object> {
  const right = `action/${ref.group}/${ref.kind}/${action}`
  const application = await readApplication(context, request, { caller, action: right })
  const { object, place } = await actedOn(context, application, ref)
  const writes = await context.gitops.actions.plan(application, object, { action, parameters })
  // What cannot be created is found before anything is written.
  for (const write of writes) if (write.type === 'create') await create(place, write, true)
  for (const write of writes) await (write.type === 'create' ? create(place, write, false) : patch(place, write))
  await tellAction(context, { application, object, place, action, user: caller.user ?? '' })
  return {}
}

/** A resource of the application, or the application itself. */
async function actedOn(
  context: Context,
  application: Application,
  ref: NodeRef,
): Promise<{ readonly object: AnyObject; readonly place: Place }> {
  if (isItself(application, ref)) return { object: application as unknown as AnyObject, place: builtInPlace(context) }
  const place = placeOf(context, application)
  return { object: await mustRead(place, await mustBelong(context, application, ref)), place }
}

const create = (
  { client }: Place,
  { kind, object }: Extract<PlannedWrite, { type: 'create' }>,
  dryRun: boolean,
): Promise<AnyObject> => client.create(kind, object, { dryRun, fieldManager })

async function patch(
  { client }: Place,
  { kind, object, patch: change, status }: Extract<PlannedWrite, { type: 'patch' }>,
): Promise<void> {
  const { namespace, name = '', uid } = object.metadata
  const ref = kind.namespaced && namespace !== undefined ? { namespace, name } : { name }
  const options = { type: 'application/merge-patch+json', fieldManager } as const
  // Not another object by the same name.
  const same = (body: object): object => ({
    ...body,
    metadata: { ...(body as { readonly metadata?: object }).metadata, ...(uid === undefined ? {} : { uid }) },
  })
  if (change !== undefined) await client.patch(kind, ref, same(change), options)
  if (status === undefined) return
  try {
    await client.patch(kind, ref, same(status), { ...options, subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error)) throw error
    await client.patch(kind, ref, same(status), options)
  }
}
