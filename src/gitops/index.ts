// The reconciler: keeps clusters as git says. Its one face for machine, doors and pages.
export { ActionFault, type ActionRequest, type ResourceAction, type ResourceActionParameter } from '#gitops/actions'
export { concernsSet, GenerationFault, type RepositoryEvent } from '#gitops/applicationset'
export * from '#gitops/argocd'
export {
  type ClusterCommands,
  type ClusterEntry,
  type Connect,
  connectByHttp,
  type NamedContext,
  type OutsideDestination,
  refreshAnnotation,
  secretTypeLabel,
  serverFault,
  trimServer,
} from '#gitops/destinations'
export type { HealthStatus, Proof, Verdict } from '#gitops/health'
export { healthOf } from '#gitops/health'
export { commandsOf, type Plugin, readPlugins } from '#gitops/render'
export type { LocalSource } from '#gitops/source'
export {
  environmentCredentials,
  isSameRepository,
  SourceError,
  urlFault,
  wishFault,
  withoutCredentials,
} from '#gitops/source'
export { createTools, findProgram, type Tools, type ToolsOptions } from '#gitops/tools'
