// The API server: one ApiHandler over a store. Puts registry, admission, hooks and verbs together and turns whatever is
// thrown into a Status.

import { type AdmissionState, admissionPlugins, createAdmissionChain } from '#admission'
import { ApiError, type ApiRequest, type ApiResponse } from '#api'
import type { AnyObject } from '#objects'
import { defaultRanges, ServiceAllocator } from './allocators/services.ts'
import { createServiceAccountTokens } from './auth/service-account-tokens.ts'
import { completed } from './body.ts'
import { bootstrap } from './bootstrap.ts'
import { addBuiltIns } from './builtin.ts'
import { type Core, secondStamps } from './core.ts'
import { DefinitionLifecycle } from './crd/lifecycle.ts'
import { definitionBucket } from './crd/spec.ts'
import { answerPath, pageNotFound } from './discovery/paths.ts'
import { NoSuchPath } from './errors.ts'
import { EventExpiry } from './event-expiry.ts'
import type { ResourceHooks } from './hooks.ts'
import type { ApiServer, ApiServerOptions } from './options.ts'
import { route } from './router.ts'
import { keyOf, Registry } from './served.ts'

export function createApiServer(options: ApiServerOptions): ApiServer {
  const core = createCore(options)
  bootstrap(core)
  return {
    handle: (request, signal) => answer(core, request, signal),
    verifyToken: (token) => core.tokens.verify(token),
    close() {},
  }
}

const eventRef = { group: '', version: 'v1', resource: 'events' } as const

function createCore(options: ApiServerOptions): Core {
  const { world, store } = options
  const registry = new Registry()
  addBuiltIns(registry)
  const hooks = new Map<string, ResourceHooks>()
  const core: Core = {
    world,
    store,
    registry,
    options,
    random: world.random.fork('apiserver'),
    admission: createAdmissionChain(admissionPlugins, stateOf(options, registry)),
    tokens: createServiceAccountTokens(world, store, options.serviceAccountKey),
    timestamp: secondStamps(world),
    hooksOf: (served) => hooks.get(served.bucket),
    wrote(served, current, previous) {
      hooks.get(served.bucket)?.wrote?.(current, previous)
      if (current === undefined && served.custom !== undefined) definitions.instanceGone(served)
    },
  }
  const definitions = new DefinitionLifecycle(core)
  hooks.set(definitionBucket, {
    wrote: (current, previous) => definitions.definitionWritten(current, previous),
  })
  definitions.start()
  const services = new ServiceAllocator(core.random.fork('services'), {
    cidr: options.serviceCidr ?? defaultRanges.cidr,
    nodePorts: options.nodePortRange ?? defaultRanges.nodePorts,
  })
  services.restore(store)
  hooks.set('services', services)
  const events = registry.find(eventRef)
  if (events !== undefined) {
    const expiry = new EventExpiry(core, events)
    expiry.restore()
    hooks.set(events.bucket, expiry)
  }
  return core
}

/** What admission sees of the store: built-in kinds as they are kept. */
function stateOf({ world, store }: ApiServerOptions, registry: Registry): AdmissionState {
  const bucketOf = (kind: Parameters<AdmissionState['count']>[0]): string | undefined => registry.find(kind)?.bucket
  return {
    world,
    get(kind, namespace, name) {
      const served = registry.find(kind)
      if (served === undefined) return undefined
      return store.get(served.bucket, keyOf(served, namespace, name))?.value as never
    },
    list(kind, namespace) {
      const bucket = bucketOf(kind)
      if (bucket === undefined) return []
      const { entries } = store.list(bucket, namespace === undefined ? {} : { prefix: `${namespace}/` })
      return entries.map(({ value }) => value as never)
    },
    complete(request, object) {
      const served = registry.find(request.resource)
      return served === undefined ? object : completed(served, object)
    },
    count(kind, namespace) {
      const bucket = bucketOf(kind)
      return bucket === undefined ? 0 : store.count(bucket, namespace === undefined ? undefined : `${namespace}/`)
    },
  }
}

async function answer(core: Core, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
  const warnings: string[] = []
  try {
    if (request.resource === undefined) return await answerPath(core, request)
    return await route(core, request, signal, warnings)
  } catch (error) {
    if (error instanceof NoSuchPath && request.accept !== undefined) return pageNotFound
    const answered = failure(core, error)
    return warnings.length === 0 ? answered : { ...answered, warnings }
  }
}

function failure(core: Core, error: unknown): ApiResponse {
  if (error instanceof ApiError) {
    return { status: error.code, body: { type: 'object', object: error.toStatus() as unknown as AnyObject } }
  }
  core.world.log.error('a request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`
  const status = new ApiError({
    code: 500,
    reason: 'InternalError',
    message,
    details: { causes: [{ message }] },
  }).toStatus()
  return { status: 500, body: { type: 'object', object: status as unknown as AnyObject } }
}
