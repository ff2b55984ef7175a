// Argo CD's front end: Applications and AppProjects, the loops that keep them, and what pages read and ask of them.
export { createGitops, type Gitops, type GitopsOptions, gitopsLoops, type RepositoryReport } from './create.ts'
export type { DriftEntry, DriftField } from './drift.ts'
export type { ManagedResource } from './managed.ts'
export { argocdNamespace, builtInServer, cascadeFinalizers } from './names.ts'
export * from './requests.ts'
export type { ResourceTree, TreeNode, TreeRef } from './tree.ts'
