// What every route of the dashboard works with, and the questions that many of them ask.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isNotFound } from '#api'
import { argocdNamespace } from '#gitops'
import { Application } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache } from '#reconcile'
import type { Access } from './access/access.ts'
import type { Caller } from './access/caller.ts'
import type { Sessions } from './access/sessions.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { DashboardParts } from './ports.ts'
import { RestError } from './rest-error.ts'
import type { NodeRef } from './tree-node.ts'

export interface Context extends DashboardParts {
  readonly server: FastifyInstance
  readonly access: Access
  readonly sessions: Sessions
  readonly cache: Cache
  readonly feed: ChangeFeed
  /** Aborts when the server closes: streams end with it. */
  readonly closing: AbortSignal
}

/** Manager of the fields that the interface writes. */
export const fieldManager = 'argocd-server'

/** One query parameter; of a repeated one the first. */
export function queryOf(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Readonly<Record<string, string | readonly string[] | undefined>>)[name]
  const first = typeof value === 'object' ? value[0] : value
  return first === '' ? undefined : first
}

/** All values of a query parameter. */
export function queryList(request: FastifyRequest, name: string): readonly string[] {
  const value = (request.query as Readonly<Record<string, string | readonly string[] | undefined>>)[name]
  if (value === undefined || value === '') return []
  return typeof value === 'string' ? [value] : value
}

export function pathParameter(request: FastifyRequest, name: string): string {
  return (request.params as Readonly<Record<string, string>>)[name] ?? ''
}

export interface NamespacedRef {
  readonly namespace: string
  readonly name: string
}

/** A field that clients send in the query or, with requests that are objects of their own (a sync), in the body. */
function sentField(request: FastifyRequest, name: string): string | undefined {
  const asked = queryOf(request, name)
  if (asked !== undefined || request.method === 'PUT') return asked
  return textIn(request.body, name)
}

function textIn(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const field = (value as Readonly<Record<string, unknown>>)[name]
  return typeof field === 'string' && field !== '' ? field : undefined
}

/** An application that is put whole says itself where it is. */
function namespaceIn(request: FastifyRequest): string {
  const { metadata } = (request.method === 'PUT' ? request.body : {}) as { readonly metadata?: unknown }
  return sentField(request, 'appNamespace') ?? textIn(metadata, 'namespace') ?? argocdNamespace
}

export const refOfObject = ({ metadata }: KubeObject): NamespacedRef => ({
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
})

/** How policies name an application, or a set of them: `PROJECT/NAME`, with its namespace outside of Argo CD's own. */
export function policyName(project: string, { namespace, name }: NamespacedRef): string {
  const prefix = `${project === '' ? 'default' : project}/`
  return namespace === argocdNamespace || namespace === '' ? `${prefix}${name}` : `${prefix}${namespace}/${name}`
}

export const policyNameOf = (application: Application): string =>
  policyName(application.spec.project, refOfObject(application))

export interface Reading {
  /** Whoever the request comes from, unless that is known already. */
  readonly caller?: Caller
  /** What he has to be allowed to do with the application. */
  readonly action?: string
}

/** The application that a path names. */
export async function readApplication(
  context: Context,
  request: FastifyRequest,
  { caller, action = 'get' }: Reading = {},
): Promise<Application> {
  return readApplicationNamed(context, caller ?? (await context.access.callerOf(request)), {
    ref: { namespace: namespaceIn(request), name: pathParameter(request, 'name') },
    project: sentField(request, 'project'),
    action,
  })
}

export interface Named {
  readonly ref: NamespacedRef
  /** The project that it is said to be of. */
  readonly project: string | undefined
  /** What the caller has to be allowed to do with it. */
  readonly action: string
}

/**
 * As in Argo CD, who may not even look at an application is not told whether it exists; who named the project that it
 * shall be of hears that there is none in it.
 */
export async function readApplicationNamed(
  context: Context,
  caller: Caller,
  { ref, project, action }: Named,
): Promise<Application> {
  const { name } = ref
  const ask = (object: string, wanted: string) => ({ resource: 'applications', action: wanted, object })
  if (project !== undefined) await caller.must(ask(policyName(project, ref), action))
  const application = await context.client.get(Application, ref).catch(async (error: unknown) => {
    if (!isNotFound(error)) throw error
    if (project === undefined && !(await caller.may(ask('*/*', 'get')))) throw unseen()
    throw new RestError('notFound', `applications.argoproj.io "${name}" not found`)
  })
  const isOther = project !== undefined && project !== application.spec.project
  const object = policyNameOf(application)
  if (isOther || !(await caller.may(ask(object, action)))) {
    if (project !== undefined)
      throw new RestError('notFound', `applications.argoproj.io "${name}" not found in project ${project}`)
    if (!(await caller.may(ask(object, 'get')))) throw unseen()
    await caller.must(ask(object, action))
  }
  return application
}

const unseen = (): RestError => new RestError('permissionDenied', 'permission denied')

/** The resource that a query names by `resourceName`, `namespace`, `group`, `kind` and `version`. */
export function resourceRef(request: FastifyRequest): NodeRef {
  const name = queryOf(request, 'resourceName')
  const kind = queryOf(request, 'kind')
  if (name === undefined || kind === undefined)
    throw new RestError('invalidArgument', 'resourceName and kind are required')
  return {
    group: queryOf(request, 'group') ?? '',
    version: queryOf(request, 'version') ?? '',
    kind,
    namespace: queryOf(request, 'namespace') ?? '',
    name,
  }
}
