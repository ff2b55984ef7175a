// The reconciler: keeps clusters as git says. Its one face for machine, doors and pages.
export { ActionFault, type ActionRequest, type ResourceAction, type ResourceActionParameter } from '#gitops/actions'
export { concernsSet, GenerationFault, type RepositoryEvent } from '#gitops/applicationset'
export * from '#gitops/argocd'
export type { HealthStatus, Proof, Verdict } from '#gitops/health'
export { healthOf } from '#gitops/health'
export type { LocalSource } from '#gitops/source'
export { isSameRepository, wishFault, withoutCredentials } from '#gitops/source'
export { createTools, type Tools, type ToolsOptions } from '#gitops/tools'
