// Revisioned map, compaction, watch from a revision, durability. Knows no kinds.
export * from './store.ts'
