// Argo CD's front end: Applications and AppProjects, the loops that keep them, and what pages read of them.
export type { ChartDetails } from './chart-details.ts'
export type { ClusterViews, KnownCluster } from './cluster-views.ts'
export {
  type ClusterAccess,
  createGitops,
  type Gitops,
  type GitopsOptions,
  gitopsLoops,
} from './create.ts'
export { type DeepLink, deepLinks } from './deep-links.ts'
export type { DriftEntry, DriftField } from './drift.ts'
export type { ManagedState, Seen } from './managed-state.ts'
export type { RenderedManifests } from './manifests.ts'
export { argocdNamespace, builtInServer, cascadeFinalizers } from './names.ts'
export { mayRead, specFaults } from './project.ts'
export type { RepositoryReport } from './repository-report.ts'
export type { PlannedWrite, ResourceActions } from './resource-actions.ts'
export type { RevisionMetadata } from './revision-metadata.ts'
export { applyRootApplication, nameOf, type RootOptions, rootApplication } from './root-application.ts'
export type { SourceSettings } from './source-settings.ts'
export { type AssignedWindow, assignedWindows, decideSync, openWindows, windowWord } from './sync-windows.ts'
