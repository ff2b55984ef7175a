// Git and disk as sources of files: clone, fetch, resolve, list and read. The only room of gitops that does I/O beside the API.
export { accessKey, isBelowAccessKey } from './access-key.ts'
export { type CommitRange, type NamedCommit, type RangeWish, readCommit, readCommitRange } from './commit-range.ts'
export { environmentCredentials } from './environment-credentials.ts'
export { filesSnapshot, type GivenFile } from './files-snapshot.ts'
export { Followers } from './followers.ts'
export { assertFiles } from './git-layout.ts'
export type { Commit } from './parse-object.ts'
export { compilePathPattern, PatternFault } from './path-pattern.ts'
export type { Pin } from './pin.ts'
export { maxFileBytes } from './raw-object.ts'
export { type Concerned, Readers } from './readers.ts'
export { type Reading, readSnapshot } from './reading.ts'
export { RecentMap } from './recent-map.ts'
export type { RemoteAccess } from './remote-access.ts'
export {
  type Credentials,
  exactKey,
  isSameRepository,
  looseKey,
  parseRepoUrl,
  urlFault,
  withoutCredentials,
} from './repo-url.ts'
export type { Repository, RepositoryState, Trouble } from './repository.ts'
export { type Listing, maxListedFiles, pathSegments, type Snapshot, type SourceFile } from './snapshot.ts'
export { isFolderFault, messageOf, SourceError, type SourceErrorCode, scrub } from './source-error.ts'
export * from './sources.ts'
export { type SourceWish, wishFault } from './wish.ts'
