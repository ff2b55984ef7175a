// What every loop shares: informer cache, keyed queue, backoff, resync, children, finalizers, conditions, events.
export * from './cache.ts'
export * from './loop.ts'
