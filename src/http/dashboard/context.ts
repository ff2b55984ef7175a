// What every route of the dashboard works with, and the questions that many of them ask.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isNotFound } from '#api'
import { argocdNamespace } from '#gitops'
import { Application, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache } from '#reconcile'
import type { ChangeFeed } from './change-feed.ts'
import { findKind } from './kinds.ts'
import type { DashboardParts } from './ports.ts'
import { RestError } from './rest-error.ts'
import type { Sessions } from './session.ts'
import type { NodeRef } from './tree.ts'

export interface Context extends DashboardParts {
  readonly server: FastifyInstance
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

export interface ApplicationRef {
  readonly namespace: string
  readonly name: string
}

export function applicationRef(request: FastifyRequest): ApplicationRef {
  return { namespace: queryOf(request, 'appNamespace') ?? argocdNamespace, name: pathParameter(request, 'name') }
}

/** The application that a path names, if it is of the project that the query names. */
export async function readApplication(context: Context, request: FastifyRequest): Promise<Application> {
  const ref = applicationRef(request)
  const application = await context.client.get(Application, ref).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
    throw new RestError('notFound', `applications.argoproj.io "${ref.name}" not found`)
  })
  const project = queryOf(request, 'project')
  if (project !== undefined && project !== application.spec.project)
    throw new RestError('notFound', `applications.argoproj.io "${ref.name}" not found in project ${project}`)
  return application
}

/** Reads any object by the names that the interface uses. */
export async function readObject(context: Context, ref: NodeRef): Promise<AnyObject | undefined> {
  const kind = findKind(context.cache, ref.group, ref.kind)
  if (kind === undefined) return undefined
  return readOf(context, kind, ref)
}

export async function readOf(context: Context, kind: Kind<AnyObject>, ref: NodeRef): Promise<AnyObject | undefined> {
  const key = kind.namespaced ? { namespace: ref.namespace, name: ref.name } : { name: ref.name }
  try {
    return await context.client.get(kind, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

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

/** Time as Argo CD's REST interface writes it. */
export const stampOf = (milliseconds: number): string => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
