// The store as one API server holds it. A server that is replaced loses its lease: what it still has under way (a webhook
// that it waited for) can no longer be written, as when its process has died.

import { ApiError } from '#api'
import type { Store } from '#store'

export interface Lease {
  readonly store: Store
  end(): void
}

export function leaseOf(store: Store): Lease {
  let ended = false
  const assertHeld = (): void => {
    if (ended) throw new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'the API server has ended' })
  }
  return {
    store: {
      get revision() {
        return store.revision
      },
      get: (bucket, key) => store.get(bucket, key),
      list: (bucket, options) => store.list(bucket, options),
      count: (bucket, prefix) => store.count(bucket, prefix),
      buckets: () => store.buckets(),
      put(bucket, key, expected, make) {
        assertHeld()
        return store.put(bucket, key, expected, make)
      },
      delete(bucket, key, expected, make) {
        assertHeld()
        return store.delete(bucket, key, expected, make)
      },
      watch: (bucket, options) => store.watch(bucket, options),
      durable: (revision) => store.durable(revision),
      compact: (revision) => store.compact(revision),
      trim: (revision, keep) => store.trim(revision, keep),
      close: () => store.close(),
    },
    end() {
      ended = true
    },
  }
}
