// The steps of a sync: phases, waves, hooks, pruning, driven by recorded results. Knows neither git nor Application objects.
export * from './annotations.ts'
export { buildTasks, definedKind, hookName, type TaskInput } from './build-tasks.ts'
export { allRun, isForPeople } from './decide.ts'
export { kindPlace } from './kind-order.ts'
export * from './retry.ts'
export * from './run-step.ts'
export type { SyncCluster, SyncInput } from './sync-cluster.ts'
export type { SyncResource, SyncTask } from './task.ts'
