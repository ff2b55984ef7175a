// The API server: one ApiHandler over a store. Puts registry, admission, hooks and verbs together and turns whatever is
// thrown into a Status.

import { admissionPlugins, callWebhook, chosen, createAdmissionChain } from '#admission'
import { ApiError, type ApiRequest, type ApiResponse, refusal } from '#api'
import { admissionState } from './admission-state.ts'
import { writeIpAddresses } from './allocators/ip-addresses.ts'
import { defaultRanges, ServiceAllocator } from './allocators/services.ts'
import { escalationChecks } from './auth/escalation.ts'
import { type AccessJudge, bindingBuckets, createAccessJudge } from './auth/judge.ts'
import { createServiceAccountTokens, issuerUrl } from './auth/service-account-tokens.ts'
import { bootstrap } from './bootstrap.ts'
import { addBuiltIns } from './builtin.ts'
import { Compaction } from './compaction.ts'
import { type Core, secondStamps } from './core.ts'
import { DefinitionLifecycle } from './crd/lifecycle.ts'
import { definitionBucket } from './crd/spec.ts'
import { deviceAccessHooks } from './device-access.ts'
import { answerPath, pageNotFound } from './discovery/paths.ts'
import { NoSuchPath } from './errors.ts'
import { EventExpiry } from './event-expiry.ts'
import { GeneratedNames } from './generated-names.ts'
import type { ResourceHooks } from './hooks.ts'
import { discoverSeries, seriesBucket } from './metrics/custom.ts'
import { addMetrics } from './metrics/resources.ts'
import type { ApiServer, ApiServerOptions } from './options.ts'
import { route } from './router.ts'
import { Registry } from './served.ts'
import { signingRequestHooks } from './signing-requests.ts'

export function createApiServer(options: ApiServerOptions): ApiServer {
  const core = createCore(options)
  bootstrap(core)
  return {
    handle: (request, signal) => answer(core, request, signal),
    verifyToken(token) {
      const found = core.tokens.verify(token)
      return found?.audiences.includes(issuerUrl) === true ? found : undefined
    },
    decide: (question) => core.decide(question),
    close() {
      for (const end of core.onClose) end()
    },
  }
}

const eventRef = { group: '', version: 'v1', resource: 'events' } as const

function createCore(options: ApiServerOptions): Core {
  const { world, store } = options
  const registry = new Registry()
  addBuiltIns(registry)
  if (options.metrics !== undefined) addMetrics(registry, options.metrics)
  const hooks = new Map<string, ResourceHooks>()
  const access: AccessJudge = createAccessJudge(store, options.decide)
  for (const [bucket, reserve] of Object.entries(escalationChecks)) {
    const isBinding = bindingBuckets.includes(bucket)
    hooks.set(bucket, isBinding ? { reserve, wrote: () => access.roles.bindingsChanged() } : { reserve })
  }
  const compaction = new Compaction(world.clock, store)
  const state = admissionState(() => core, { world, store, registry }, options.webhookNetwork)
  const core: Core = {
    world,
    store,
    registry,
    options,
    onClose: new Set(),
    random: world.random.fork('apiserver'),
    names: new GeneratedNames(world.random.fork('names')),
    admission: createAdmissionChain(chosen(admissionPlugins, options.admission ?? {}), state),
    callWebhook: (callee, body, answered) => callWebhook(callee, { body, answered }, state),
    tokens: createServiceAccountTokens(world, store, options.serviceAccountKey),
    timestamp: secondStamps(world),
    access,
    decide: (question) => access.decide(question),
    hooksOf: (served) => hooks.get(served.bucket),
    wrote(served, current, previous) {
      hooks.get(served.bucket)?.wrote?.(current, previous)
      if (current === undefined && served.custom !== undefined) definitions.instanceGone(served)
      compaction.wrote()
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
  hooks.set('services', {
    reserve: (scope, object, old) => services.reserve(scope, object, old),
    wrote(current, previous) {
      services.wrote(current, previous)
      writeIpAddresses(core, current, previous)
    },
  })
  hooks.set('certificatesigningrequests.certificates.k8s.io', signingRequestHooks)
  for (const bucket of Object.keys(deviceAccessHooks)) hooks.set(bucket, deviceAccessHooks[bucket] ?? {})
  hooks.set(seriesBucket, { wrote: () => discoverSeries(core) })
  discoverSeries(core)
  const events = registry.find(eventRef)
  if (events !== undefined) {
    const expiry = new EventExpiry(core, events)
    expiry.restore()
    hooks.set(events.bucket, expiry)
    core.onClose.add(() => expiry.close())
  }
  return core
}

function answer(core: Core, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
  const warnings: string[] = []
  const refused = (error: unknown): ApiResponse => {
    if (error instanceof NoSuchPath && error.isPlain && request.accept !== undefined) return pageNotFound
    const answered = failure(core, error)
    return warnings.length === 0 ? answered : { ...answered, warnings }
  }
  try {
    const answered = request.resource === undefined ? answerPath(core, request) : route(core, request, signal, warnings)
    return answered instanceof Promise ? answered.catch(refused) : Promise.resolve(answered)
  } catch (error) {
    return Promise.resolve(refused(error))
  }
}

function failure(core: Core, error: unknown): ApiResponse {
  if (error instanceof ApiError) return refusal(error)
  core.world.log.error('a request failed', {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  const message = `Internal error occurred: ${error instanceof Error ? error.message : String(error)}`
  return refusal({ code: 500, reason: 'InternalError', message, details: { causes: [{ message }] } })
}
