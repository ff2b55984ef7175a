// Read-only views of the cluster and its loops: explain. Writes nothing, decides nothing for a loop.
export { explain } from './explain/explain.ts'
export type { Finding } from './explain/finding.ts'
export { formatFindings } from './explain/format.ts'
export type { Placement, Placements } from './explain/placement.ts'
export { describeFight, type Fight } from './fights/decide.ts'
export { FightWatch } from './fights/watch.ts'
export { lineDiff } from './line-diff.ts'
