// Puts the reconciler together: sources, renderer, memory and drift log, the loops over them, and what pages may read.

import { createActions } from '#gitops/actions'
import { applicationSetLoop, generateOnce } from '#gitops/applicationset'
import { noCustomizations } from '#gitops/customizations'
import { builtInServing, Clusters, clusterLoop } from '#gitops/destinations'
import { createHealth } from '#gitops/health'
import { notificationsLoop } from '#gitops/notifications'
import { createRenderer } from '#gitops/render'
import { createSources, SourceError, type Sources } from '#gitops/source'
import { createJq, createLua } from '#gitops/tools'
import { createWebClient, noWeb, proxiesOf } from '#gitops/web'
import { type Application, AppProject } from '#kinds'
import { objectKey } from '#objects'
import type { Cache, LoopDefinition } from '#reconcile'
import { controllerManager, controllerUser, projectKey } from './application/names.ts'
import { defaultPollMs } from './application/refresh.ts'
import { bootstrapLoop } from './bootstrap-loop.ts'
import { IgnoredPaths } from './comparison/ignored-paths.ts'
import { managedStates } from './comparison/managed-state.ts'
import { DriftLog } from './drift/drift-log.ts'
import type { Gitops, GitopsOptions } from './gitops.ts'
import { Listeners } from './listeners.ts'
import { applicationLoop } from './loop/application-loop.ts'
import { Memory } from './observation/memory.ts'
import { orphanLoop } from './orphans/orphan-loop.ts'
import type { Place } from './orphans/orphans.ts'
import { orphansOf } from './orphans/orphans-of.ts'
import { clusterViews, seenCluster, servingFor } from './pages/cluster-views.ts'
import { type ManifestReading, readManifests, renderFiles } from './pages/manifests.ts'
import { ResourceActions } from './pages/resource-actions.ts'
import { readSourceSettings } from './pages/source-settings.ts'
import { appProjectLoop } from './projects/appproject-loop.ts'
import { readChartDetails } from './repositories/chart-details.ts'
import { accessFor, knownHosts } from './repositories/credentials.ts'
import { type RepositoryNews, repositoryLoop } from './repositories/repository-loop.ts'
import { reportOf } from './repositories/repository-report.ts'
import { describeIfKnown, only, readRevisionMetadata } from './repositories/revision-metadata.ts'
import { customizationsOf, readsSubmodules } from './settings/settings.ts'

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
    toolVersions: async () => tools?.versions(),
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
