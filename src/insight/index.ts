// Read-only views of the cluster and its loops: explain, route. Writes nothing, decides nothing for a loop.
export type { Changed } from './explain/changed.ts'
export { explain, type Place } from './explain/explain.ts'
export { causeOf, type Finding } from './explain/finding.ts'
export { formatFindings } from './explain/format.ts'
export { type LoopState, loopStateOf } from './explain/loops.ts'
export type { Placement, Placements } from './explain/placement.ts'
export { describeFight, type Fight } from './fights/decide.ts'
export { FightWatch } from './fights/watch.ts'
export { lineDiff } from './line-diff.ts'
export { formatRoute } from './route/format.ts'
export { RouteError } from './route/observe.ts'
export { explainRoute, type RouteQuestion, type RouteReport } from './route/route.ts'
export { type LoopTrouble, loopTroubles } from './waiting/loop-troubles.ts'
export {
  type ExplainedWaiting,
  explainWaiting,
  type GapName,
  gapNames,
  type Waiting,
  type WaitingObject,
  waitingKinds,
} from './waiting/waiting.ts'
