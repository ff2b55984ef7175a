// The API server: one ApiHandler over a store. Puts registry, admission, hooks and verbs together and turns whatever is
// thrown into a Status.

import { admissionPlugins, callWebhook, chosen, createAdmissionChain } from '#admission'
import { ApiError, type ApiRequest, type ApiResponse, refusal } from '#api'
import { admissionState } from './admission-state.ts'
import { type Aggregation, aggregate } from './aggregation/aggregate.ts'
import { type AccessJudge, createAccessJudge } from './auth/judge.ts'
import { watchLegacyTokens } from './auth/legacy-tokens.ts'
import { createServiceAccountTokens, issuerUrl } from './auth/service-account-tokens.ts'
import { bootstrap } from './bootstrap.ts'
import { addBuiltIns } from './builtin.ts'
import { Compaction } from './compaction.ts'
import { type Core, secondStamps } from './core.ts'
import { DefinitionLifecycle } from './crd/lifecycle.ts'
import { definitionBucket } from './crd/spec.ts'
import { answerPath, pageNotFound } from './discovery/paths.ts'
import { NoSuchPath } from './errors.ts'
import { followSchemas } from './flow-control/dangling.ts'
import { GeneratedNames } from './generated-names.ts'
import { HookTable } from './hooks.ts'
import { addMetrics } from './metrics/resources.ts'
import type { ApiServer, ApiServerOptions } from './options.ts'
import { addHooks } from './resource-hooks.ts'
import { route } from './router.ts'
import { Registry } from './served.ts'
import { keepUp } from './upkeep.ts'

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { core, aggregation, hooks } = createCore(options)
  bootstrap(core)
  keepUp(core, hooks)
  followSchemas(core, hooks)
  aggregation.start()
  // Nobody has seen a revision from before the server was there: watches begin after it.
  core.store.compact(core.store.revision)
  return {
    handle: (request, signal) => answer({ core, aggregation }, request, signal),
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

interface Parts {
  readonly core: Core
  readonly aggregation: Aggregation
}

function createCore(options: ApiServerOptions): Parts & { readonly hooks: HookTable } {
  const { world, store } = options
  const registry = new Registry()
  addBuiltIns(registry)
  if (options.metrics !== undefined) addMetrics(registry, options.metrics)
  const hooks = new HookTable()
  const access: AccessJudge = createAccessJudge(store, options.decide)
  const compaction = new Compaction(world.clock, store)
  const { webhookNetwork: network, admission = {} } = options
  const outside = { network, hosts: admission.webhookHosts }
  const state = admissionState(() => core, { world, store, registry }, outside)
  const core: Core = {
    world,
    store,
    registry,
    options,
    onClose: new Set(),
    random: world.random.fork('apiserver'),
    names: new GeneratedNames(world.random.fork('names')),
    admission: createAdmissionChain(chosen(admissionPlugins, admission), state),
    callWebhook: (callee, body, answered) => callWebhook(callee, { body, answered }, state),
    tokens: watchLegacyTokens(createServiceAccountTokens(world, store, options.serviceAccountKey), () => core),
    timestamp: secondStamps(world),
    access,
    decide: (question) => access.decide(question),
    hooksOf: (served) => hooks.of(served.bucket),
    wrote(served, current, previous) {
      hooks.of(served.bucket)?.wrote?.(current, previous)
      if (current === undefined && served.custom !== undefined) definitions.instanceGone(served)
      compaction.wrote()
    },
  }
  const definitions = new DefinitionLifecycle(core)
  hooks.add(definitionBucket, {
    wrote: (current, previous) => definitions.definitionWritten(current, previous),
  })
  const aggregation = aggregate(core, hooks)
  definitions.start()
  addHooks(core, hooks)
  return { core, aggregation, hooks }
}

function answer({ core, aggregation }: Parts, request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
  const warnings: string[] = []
  const refused = (error: unknown): ApiResponse | Promise<ApiResponse> => {
    const elsewhere = error instanceof NoSuchPath ? aggregation.answer(request, signal) : undefined
    if (elsewhere !== undefined) return elsewhere
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
