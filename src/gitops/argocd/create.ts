// Puts the reconciler together: sources, renderer, memory and drift log, the loops over them, and what pages may read.

import { createActions } from '#gitops/actions'
import { applicationSetLoop, generateOnce } from '#gitops/applicationset'
import { noCustomizations } from '#gitops/customizations'
import {
  builtInServing,
  type ClusterCommands,
  Clusters,
  type Connect,
  clusterLoop,
  type NamedContext,
} from '#gitops/destinations'
import { createHealth, type Verdict } from '#gitops/health'
import { notificationsLoop } from '#gitops/notifications'
import { createRenderer, type Plugin } from '#gitops/render'
import { createSources, type GivenFile, type LocalSource, SourceError, type Sources } from '#gitops/source'
import { createJq, createLua, type Tools } from '#gitops/tools'
import { createWebClient, noWeb, proxiesOf } from '#gitops/web'
import { type Application, type ApplicationSet, type ApplicationSource, AppProject } from '#kinds'
import { type AnyObject, objectKey } from '#objects'
import type { Cache, LoopDefinition } from '#reconcile'
import type { World } from '#world'
import { applicationLoop } from './application-loop.ts'
import { appProjectLoop } from './appproject-loop.ts'
import { bootstrapLoop } from './bootstrap-loop.ts'
import { type ChartDetails, readChartDetails } from './chart-details.ts'
import { type ClusterViews, clusterViews, seenCluster, servingFor } from './cluster-views.ts'
import { accessFor, knownHosts } from './credentials.ts'
import { type DriftEntry, DriftLog } from './drift.ts'
import { IgnoredPaths } from './ignored-paths.ts'
import { Listeners } from './listeners.ts'
import { type ManagedState, managedStates, type Seen } from './managed-state.ts'
import { type ManifestReading, type RenderedManifests, readManifests, renderFiles } from './manifests.ts'
import { Memory } from './memory.ts'
import { controllerManager, controllerUser, projectKey } from './names.ts'
import { orphanLoop } from './orphan-loop.ts'
import { orphansOf, type Place } from './orphans.ts'
import { defaultPollMs } from './refresh.ts'
import { type RepositoryNews, repositoryLoop } from './repository-loop.ts'
import { type RepositoryReport, reportOf } from './repository-report.ts'
import { ResourceActions } from './resource-actions.ts'
import { describeIfKnown, only, type RevisionMetadata, readRevisionMetadata } from './revision-metadata.ts'
import { customizationsOf, readsSubmodules } from './settings.ts'
import { readSourceSettings, type SourceSettings } from './source-settings.ts'

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
  /** Given where nothing is fetched or asked outside: what to do about a repository that is not here. */
  readonly offline?: (url: string) => string
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
  /** Names of the plug-ins that may run. */
  readonly plugins: readonly string[]
  readonly clusters: ClusterViews
}

export function createGitops(options: GitopsOptions): Gitops {
  const { world, directory, local = [], pollMs = defaultPollMs, follow = false, tools, plugins = [] } = options
  const memory = new Memory()
  let seen: Cache | undefined
  const sources = createSources({
    world,
    directory,
    local,
    named: options.named,
    access: (url) => (seen === undefined ? {} : accessFor(seen, url)),
    submodules: () => seen === undefined || readsSubmodules(seen),
    knownHosts: () => (seen === undefined ? undefined : knownHosts(seen)),
    ...(options.environment === undefined ? {} : { environment: options.environment }),
    ...(tools === undefined ? {} : { tools }),
    ...(options.offline === undefined ? {} : { offline: options.offline }),
  })
  const log = new DriftLog()
  const refreshed = new Listeners<RepositoryNews>()
  const due = new Listeners<string>()
  const orphaned = new Listeners<Place>()
  let opening: Promise<void> | undefined
  const opened = (): Promise<void> => {
    opening ??= sources.open()
    return opening
  }
  const lua = createLua(world)
  const concerned = memory.concerned.bind(memory)
  const clusters = new Clusters({ world, ...options.clusters, concerned })
  const contexts = (options.clusters?.contexts ?? []).map(({ name, connection: { server } }) => ({ name, server }))
  const eyes = {
    clusters,
    sources,
    renderer: createRenderer({ world, plugins, ...(tools === undefined ? {} : { tools }) }),
    memory,
    ignored: new IgnoredPaths(createJq(world)),
    health: createHealth(world, lua),
  }
  const web = options.offline === undefined ? createWebClient(world, proxiesOf(options.environment ?? {})) : noWeb
  const outside = { sources, web, contexts, aws: options.aws }
  const loops = [
    bootstrapLoop,
    appProjectLoop,
    repositoryLoop({
      sources,
      pollMs,
      opened,
      follow,
      sees: (cache) => {
        seen = cache
      },
      refreshed: (news) => refreshed.tell(news),
      onDue: (told) => due.add(told),
    }),
    applicationLoop({
      eyes,
      log,
      clock: world.clock,
      pollMs,
      opened,
      onRefreshed: (told) => refreshed.add(told),
      onOrphans: (told) => orphaned.add(told),
      ...(options.onCompared === undefined ? {} : { onCompared: options.onCompared }),
    }),
    clusterLoop({ clusters, user: controllerUser, manager: controllerManager }),
    orphanLoop({ clusters, orphans: memory.orphans, changed: (place) => void orphaned.tell(place) }),
    applicationSetLoop({
      ...outside,
      opened,
      onMoved: (told) =>
        refreshed.add(({ repository, moved }) => {
          if (moved || repository.readsFiles) told(repository.key)
        }),
    }),
    notificationsLoop({ web, describe: (app, revision) => describeIfKnown(sources, app, revision) }),
  ]
  const reading = (): ManifestReading => {
    const { cache, client } = memory
    if (cache === undefined || client === undefined)
      throw new SourceError('NotFetched', 'the application has not been looked at yet')
    const clusterOf = (app: Application) => seenCluster(clusters, { cache, client }, app)
    return { sources, renderer: eyes.renderer, cache, now: world.clock.now(), clusterOf }
  }
  return {
    loops,
    managedResources: async (app) => managedStates(memory.find(objectKey(app))?.comparison),
    health: async (object) =>
      eyes.health.of(object, memory.cache === undefined ? noCustomizations : customizationsOf(memory.cache)),
    actions: new ResourceActions({ actions: createActions(world, lua), clusters, cache: () => memory.cache }),
    orphanedResources(app) {
      const project = memory.cache?.get(AppProject, projectKey(app))
      if (project === undefined || memory.cache === undefined) return []
      const cluster = clusters.resolve(memory.cache, app.spec.destination)
      if (typeof cluster === 'string') return []
      const { comparison } = memory.find(objectKey(app)) ?? {}
      return orphansOf(memory.orphans, { app, project, server: cluster.server, comparison }) ?? []
    },
    driftLog: (app) => log.list(app?.startsWith('argocd/') === true ? app.slice('argocd/'.length) : app),
    revisionMetadata: (app, revision, source) => readRevisionMetadata(sources, only(app, source), revision),
    chartDetails: (app, version, source) => readChartDetails(sources, only(app, source), version),
    manifests: (app, revisions = []) => readManifests(reading(), app, revisions),
    manifestsOfFiles: (app, files, trusted) => renderFiles(reading(), app, { files, trusted }),
    async sourceSettings(app, source, cache) {
      await opened()
      const { server, name } = app.spec.destination
      // One that is still being written may not say yet where it goes.
      const isOpen = server === undefined && name === undefined
      const serving = isOpen ? builtInServing(cache) : servingFor(clusters, cache, app)
      return readSourceSettings({ sources, renderer: eyes.renderer, cache, serving }, app, source)
    },
    generateApplications: (set, cache) => generateOnce(outside, set, { cache, clock: world.clock }),
    repositoryChanged: (url) => tellDue(sources, due, url),
    hearsOfCommits: (app) => memory.followers.followed(objectKey(app)).length > 0,
    repositories: () => sources.all().map(reportOf),
    plugins: plugins.map(({ name }) => name),
    clusters: clusterViews(clusters),
  }
}

/** The loops alone, for whoever needs nothing else of the reconciler. */
export const gitopsLoops = (options: GitopsOptions): readonly LoopDefinition[] => createGitops(options).loops

function tellDue(sources: Sources, due: Listeners<string>, url: string): number {
  const found = sources.matching(url)
  for (const repository of found) void due.tell(repository.key)
  return found.length
}
