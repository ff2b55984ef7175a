// An API server alone, with as many of the cluster's loops as are wanted: no dashboard, and no reconciler unless it is among
// them. A face of its own: whoever waits for it in each of their tests should not wait for what they do not use.
export { DaemonError, DaemonUsageError } from '../options.ts'
export * from './options.ts'
export { type ApiServer, runApiServer, startApiServer } from './start.ts'
