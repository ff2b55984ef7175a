// An acknowledged write survives a crash: what is written through this wrapper is answered when it is on disk. In-process
// loops do not wait: they read what they find after a restart.

import type { ApiHandler, Verb } from '#api'
import type { Store } from '#store'

const writes: ReadonlySet<Verb> = new Set<Verb>(['create', 'update', 'patch', 'delete', 'deletecollection'])

export function acknowledgeDurable(next: ApiHandler, store: Pick<Store, 'revision' | 'durable'>): ApiHandler {
  return async (request, signal) => {
    const response = await next(request, signal)
    if (writes.has(request.verb)) await store.durable(store.revision)
    return response
  }
}
