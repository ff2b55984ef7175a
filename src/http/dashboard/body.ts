// What requests to the dashboard carry, checked: the shape of every body is told once, by a schema, and whatever does
// not have it is refused with the field that is wrong.

import { z } from 'zod'
import type { Operation, RetryStrategy, SyncOperation, SyncOperationResource } from '#kinds'
import { RestError } from './rest-error.ts'

/** The body as its schema says; an absent body is an empty one. Throws RestError. */
export function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body ?? {})
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.') ?? ''
  throw new RestError('invalidArgument', `invalid body: ${field === '' ? '' : `${field}: `}${issue?.message}`)
}

/** Clients of Argo CD send null for what they leave out. */
const optional = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value): z.output<T> | undefined => value ?? undefined)

const text = optional(z.string())
const flag = optional(z.boolean())

// What becomes part of the Application as it is has its shape checked by the API server.
const resources = z.custom<readonly SyncOperationResource[]>(Array.isArray, 'expected a list')
const strategy = z.custom<NonNullable<SyncOperation['syncStrategy']>>(isMap, 'expected an object')
const retry = z.custom<RetryStrategy>(isMap, 'expected an object')
const infos = z.custom<NonNullable<Operation['info']>>(Array.isArray, 'expected a list')

export const syncRequest = z.object({
  revision: text,
  revisions: optional(z.array(z.string())),
  sourcePositions: optional(z.array(z.coerce.number().int())),
  manifests: optional(z.array(z.string())),
  prune: flag,
  dryRun: flag,
  resources: optional(resources),
  strategy: optional(strategy),
  // The list alone is what some clients send.
  syncOptions: optional(
    z.union([
      z.array(z.string()),
      z.object({ items: optional(z.array(z.string())) }).transform(({ items }) => items ?? []),
    ]),
  ),
  retryStrategy: optional(retry),
  infos: optional(infos),
})
export type SyncRequest = z.output<typeof syncRequest>

export const rollbackRequest = z.object({
  id: optional(z.union([z.number().int(), z.string().regex(/^\d+$/)])),
  prune: flag,
  dryRun: flag,
})
export type RollbackRequest = z.output<typeof rollbackRequest>

export const applicationPatch = z.object({ patch: text, patchType: text })

/** Of the second kind of request for an action; the first one's body is the name of the action alone. */
export const actionRequest = z.object({
  action: z.string(),
  namespace: text,
  resourceName: z.string(),
  version: text,
  group: text,
  kind: z.string(),
  resourceActionParameters: optional(z.array(z.object({ name: z.string(), value: z.string() }))),
})

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
