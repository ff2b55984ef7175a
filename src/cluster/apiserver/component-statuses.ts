// get and list of ComponentStatuses: the scheduler and the controller manager are healthy when they run in this process, the store
// because it answered.

import { ApiError, type ApiResponse } from '#api'
import type { AnyObject } from '#objects'
import type { Core } from './core.ts'
import { listOptions } from './list-options.ts'
import { managedOf } from './managed.ts'
import type { Component } from './options.ts'
import { respond, respondList, type Version } from './represent.ts'
import type { Scope } from './scope.ts'
import type { Soon } from './soon.ts'

/** Where a real API server asks them. */
const ports: Readonly<Record<Component, number>> = { 'controller-manager': 10_257, scheduler: 10_259 }

const names = [...(Object.keys(ports) as readonly Component[]), 'etcd-0'] as const

function statusOf(core: Core, name: (typeof names)[number]): Version {
  const port = name === 'etcd-0' ? undefined : ports[name]
  const isHealthy = name === 'etcd-0' || core.options.isRunning?.(name) === true
  const refused = `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`
  const value = {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [
      isHealthy
        ? { type: 'Healthy', status: 'True', message: 'ok' }
        : { type: 'Healthy', status: 'False', message: refused },
    ],
  }
  return { value: value as unknown as AnyObject, managed: managedOf(undefined) }
}

export function answerComponents(scope: Scope): Soon<ApiResponse> {
  const { core, request } = scope
  if (request.name === undefined) {
    const { selection } = listOptions(scope, false)
    const all = names.map((name) => statusOf(core, name))
    const chosen = all.filter(({ value }) => selection.matches?.(value) !== false)
    return respondList(scope, chosen, { resourceVersion: '' })
  }
  const known = names.find((name) => name === request.name)
  if (known === undefined)
    throw new ApiError({ code: 500, reason: '', message: `Component not found: ${request.name}` })
  return respond(scope, 200, statusOf(core, known))
}
