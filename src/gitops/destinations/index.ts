// The clusters that applications deploy to: which there are, whether they answer, and how one is looked at and written to.
export type { ClusterCommands } from './cluster-commands.ts'
export {
  type ApplicationDestination,
  type ClusterEntry,
  resolveDestination,
  scopeFault,
  trimServer,
} from './cluster-entry.ts'
export { type ClusterLoopOptions, clusterLoop } from './cluster-loop.ts'
export type { ClusterReport } from './cluster-report.ts'
export { entryOf, isClusterSecret, refreshAnnotation, secretTypeLabel, serverFault } from './cluster-secret.ts'
export {
  Clusters,
  type ClustersOptions,
  type OutsideVisit,
  type Visit,
} from './clusters.ts'
export { type Connect, connectByHttp, type Line } from './connect.ts'
export {
  builtInDestination,
  builtInServing,
  type Destination,
  type OutsideDestination,
  type Serving,
} from './destination.ts'
export { findKind, missingKindText, scopeInManifests, servedKinds } from './kind-lookup.ts'
export { builtInName, type NamedContext } from './named-context.ts'
export type { SeenChange } from './outside-cluster.ts'
