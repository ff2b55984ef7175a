// Git and disk as sources of files: clone, fetch, resolve, list and read. The only room of gitops that does I/O beside the API.
export type { Commit } from './git-objects.ts'
export { maxFileBytes } from './git-objects.ts'
export { RecentMap } from './recent-map.ts'
export { isSameRepository, looseKey, parseRepoUrl, withoutCredentials } from './repo-url.ts'
export type { Repository, RepositoryState, Trouble } from './repository.ts'
export type { Listing, Snapshot, SourceFile } from './snapshot.ts'
export * from './source-error.ts'
export * from './sources.ts'
