// Revisioned map, compaction, watch from a revision, durability. Knows no kinds.
export { DurableStore, type DurableStoreOptions, openStore } from './durable-store.ts'
export { StoreOpenError } from './lmdb-disk.ts'
export { createMemoryStore, MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export * from './store.ts'
