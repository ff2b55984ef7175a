// All that APIServices do in this server: put together with the writes that concern them.

import type { ApiRequest, ApiResponse } from '#api'
import type { Entry } from '#store'
import type { Core } from '../core.ts'
import { definitionBucket } from '../crd/spec.ts'
import type { HookTable } from '../hooks.ts'
import { ApiRegistration, apiServiceBucket } from './registration.ts'
import { RemoteApis } from './remote.ts'

export interface Aggregation {
  /** When what a fresh cluster has is there. */
  start(): void
  /** The answer to a request for what is not served here; undefined when nobody else is named for it. */
  answer(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> | undefined
}

export function aggregate(core: Core, hooks: HookTable): Aggregation {
  const registration = new ApiRegistration(core)
  const remote = new RemoteApis(core)
  const endpoints = (current: Entry | undefined, previous: Entry | undefined): void => {
    const entry = current ?? previous
    if (entry !== undefined) remote.endpointsWritten(entry)
  }
  hooks.add(definitionBucket, { wrote: (current, previous) => registration.definitionWritten(current, previous) })
  hooks.add(apiServiceBucket, {
    wrote(current, previous) {
      registration.serviceWritten(current, previous)
      remote.serviceWritten(current, previous)
    },
  })
  for (const bucket of ['services', 'endpointslices.discovery.k8s.io']) hooks.add(bucket, { wrote: endpoints })
  return {
    start() {
      registration.start()
      remote.start()
    },
    answer: (request, signal) => remote.answer(request, signal),
  }
}
