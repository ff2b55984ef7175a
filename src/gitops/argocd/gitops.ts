// What the reconciler is made of, and what it lets others see: its loops, and what pages may read.

import type { ClusterCommands, Connect, NamedContext } from '#gitops/destinations'
import type { Verdict } from '#gitops/health'
import type { Plugin } from '#gitops/render'
import type { GivenFile, LocalSource } from '#gitops/source'
import type { Tools, ToolVersions } from '#gitops/tools'
import type { Application, ApplicationSet, ApplicationSource } from '#kinds'
import type { AnyObject } from '#objects'
import type { Cache, LoopDefinition } from '#reconcile'
import type { World } from '#world'
import type { ManagedState, Seen } from './comparison/managed-state.ts'
import type { DriftEntry } from './drift/drift-log.ts'
import type { ClusterViews } from './pages/cluster-views.ts'
import type { RenderedManifests } from './pages/manifests.ts'
import type { ResourceActions } from './pages/resource-actions.ts'
import type { SourceSettings } from './pages/source-settings.ts'
import type { ChartDetails } from './repositories/chart-details.ts'
import type { RepositoryReport } from './repositories/repository-report.ts'
import type { RevisionMetadata } from './repositories/revision-metadata.ts'

export interface GitopsOptions {
  readonly world: World
  /** Where mirrors of remote repositories are kept. */
  readonly directory: string
  /** Repositories and folders on this machine that applications may use. */
  readonly local?: readonly LocalSource[]
  /** A remote that a person has named at start: git's credential helpers are asked for it. */
  readonly named?: string | undefined
  /** How often remotes are fetched and applications compared; default 120 s, 0 never. */
  readonly pollMs?: number
  /** Follow local repositories by their files; leave it off in virtual time. */
  readonly follow?: boolean
  /** Of the user: proxies; for ssh remotes PATH, HOME, SSH_AUTH_SOCK. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The environment whose AWS keys generators may use; default: none. */
  readonly aws?: Readonly<Record<string, string | undefined>> | undefined
  /** What renders charts and kustomizations. */
  readonly tools?: Tools
  /** Config management plug-ins that may run. */
  readonly plugins?: readonly Plugin[]
  /** How clusters other than the built-in one are reached; default: not at all. */
  readonly clusters?: ClusterAccess
  /** Given where nothing is fetched or asked outside: what to do about a repository or chart that is not here. */
  readonly offline?: (url: string, chart: string) => string
  /** Told what every look at an application found, before anything is done about it. */
  readonly onCompared?: (app: Application, seen: Seen) => void
}

export interface ClusterAccess {
  readonly connect: Connect
  /** Of a kubeconfig, each named by the operator. */
  readonly contexts?: readonly NamedContext[]
  /** Clusters are reached too that a repository describes. */
  readonly trustsGit?: boolean
  /** By which cluster Secrets may sign in; default: by none. */
  readonly commands?: ClusterCommands
}

export interface Gitops {
  readonly loops: readonly LoopDefinition[]
  /** Empty for an application that has not been compared since the start. */
  managedResources(app: Application): Promise<readonly ManagedState[]>
  /** How an object is, by users' own rules where there are any; undefined for what has no health. */
  health(object: AnyObject): Promise<Verdict | undefined>
  /** What can be done with a resource, and what doing it would write. */
  readonly actions: Pick<ResourceActions, 'list' | 'plan'>
  /** Objects in its destination namespace that belong to no application, where its project wants to know. */
  orphanedResources(app: Application): readonly AnyObject[]
  /** Newest first; of one application (`name`, or `namespace/name` outside of argocd), or of all. */
  driftLog(app?: string): readonly DriftEntry[]
  /** Author, date and message of a revision. Throws SourceError for what is no commit of the application's repository. */
  revisionMetadata(app: Application, revision: string, source?: number): Promise<RevisionMetadata>
  /** What a chart says of itself at a version. Throws SourceError. */
  chartDetails(app: Application, version: string, source?: number): Promise<ChartDetails>
  /** What git says at revisions, one for each source (default: those that are followed). Throws SourceError. */
  manifests(app: Application, revisions?: readonly string[]): Promise<RenderedManifests>
  /** What files would be as the checkout of an application's source; `trusted` lets plug-ins at them. Throws SourceError. */
  manifestsOfFiles(app: Application, files: readonly GivenFile[], trusted: boolean): Promise<RenderedManifests>
  /** What can be set of a source, which need not be one of the application's. Throws SourceError. */
  sourceSettings(app: Application, source: ApplicationSource, cache: Cache): Promise<SourceSettings>
  /** The Applications that a set would make, which need not exist. Throws GenerationFault. */
  generateApplications(set: ApplicationSet, cache: Cache): Promise<readonly Application[]>
  /** A repository is said to have moved: it is read at once. Answers how many are known by that URL. */
  repositoryChanged(url: string): number
  /** It hears of its repositories' commits by itself. */
  hearsOfCommits(app: Application): boolean
  repositories(): readonly RepositoryReport[]
  /** Of what renders; undefined where nothing does. */
  toolVersions(): Promise<ToolVersions | undefined>
  /** Names of the plug-ins that may run. */
  readonly plugins: readonly string[]
  readonly clusters: ClusterViews
}
