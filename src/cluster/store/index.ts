// Revisioned map, compaction, watch from a revision, durability. Knows no kinds.
export { createMemoryStore, MemoryStore, type MemoryStoreOptions } from './memory-store.ts'
export * from './store.ts'
