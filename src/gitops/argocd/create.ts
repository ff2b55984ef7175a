// Puts the reconciler together: sources, renderer, memory and drift log, the loops over them, and what pages may read.

import { createRenderer } from '#gitops/render'
import { type Commit, createSources, type LocalSource, SourceError, type Sources } from '#gitops/source'
import type { LoopDefinition } from '#reconcile'
import type { World } from '#world'
import { applicationLoop } from './application-loop.ts'
import { bootstrapLoop } from './bootstrap-loop.ts'
import { type DriftEntry, DriftLog } from './drift.ts'
import { type ManagedResource, managedResources } from './managed.ts'
import { Memory } from './memory.ts'
import { keyOfInstance } from './names.ts'
import { defaultPollMs } from './refresh.ts'
import { repositoryLoop } from './repository-loop.ts'
import { type ResourceTree, resourceTree, treeKinds } from './tree.ts'

export interface GitopsOptions {
  readonly world: World
  /** Where mirrors of remote repositories are kept. */
  readonly directory: string
  /** Repositories and folders on this machine that applications may use. */
  readonly local?: readonly LocalSource[]
  /** How often remotes are fetched and applications compared; default 120 s, 0 never. */
  readonly pollMs?: number
  /** Follow local repositories by their files; leave it off in virtual time. */
  readonly follow?: boolean
}

export interface RepositoryReport {
  readonly url: string
  readonly type: 'remote' | 'local'
  readonly ready: boolean
  readonly refreshedAtMs?: number
  readonly trouble?: { readonly message: string; readonly sinceMs: number }
}

export interface Gitops {
  readonly loops: readonly LoopDefinition[]
  /** Objects of an application with their states; undefined when it has not been compared since the start. `app` is `name` or `namespace/name`. */
  managedResources(app: string): readonly ManagedResource[] | undefined
  resourceTree(app: string): ResourceTree | undefined
  /** Newest first. */
  driftLog(app?: string): readonly DriftEntry[]
  /** Author, date and message of a revision of an application's repository. */
  revisionMetadata(app: string, revision: string): Promise<Commit | undefined>
  /** A webhook says that a repository moved: it is read at once. Answers how many are known by that URL. */
  repositoryChanged(url: string): number
  repositories(): readonly RepositoryReport[]
}

export function createGitops(options: GitopsOptions): Gitops {
  const { world, directory, local = [], pollMs = defaultPollMs, follow = false } = options
  const sources = createSources({ world, directory, local })
  const memory = new Memory()
  const log = new DriftLog()
  const moved = new Listeners()
  const due = new Listeners()
  let opening: Promise<void> | undefined
  const opened = (): Promise<void> => {
    opening ??= sources.open()
    return opening
  }
  const eyes = { sources, renderer: createRenderer(world), memory }
  const loops = [
    bootstrapLoop,
    repositoryLoop({
      sources,
      pollMs,
      opened,
      follow,
      moved: (key) => moved.tell(key),
      onDue: (told) => due.add(told),
    }),
    applicationLoop({ eyes, log, pollMs, opened, onMoved: (told) => moved.add(told), treeKinds }),
  ]
  const find = (app: string) => memory.find(app.includes('/') ? app : keyOfInstance(app))
  return {
    loops,
    managedResources(app) {
      const comparison = find(app)?.comparison
      return comparison === undefined ? undefined : managedResources(comparison)
    },
    resourceTree(app) {
      const comparison = find(app)?.comparison
      const { cache } = memory
      return comparison === undefined || cache === undefined ? undefined : resourceTree(comparison, cache)
    },
    driftLog: (app) => log.list(app?.startsWith('argocd/') === true ? app.slice('argocd/'.length) : app),
    async revisionMetadata(app, revision) {
      const key = find(app)?.repository
      return key === undefined ? undefined : sources.get(key)?.describe(revision)
    },
    repositoryChanged: (url) => tellDue(sources, due, url),
    repositories: () => sources.all().map(report),
  }
}

function tellDue(sources: Sources, due: Listeners, url: string): number {
  try {
    const found = sources.matching(url)
    for (const repository of found) due.tell(repository.key)
    return found.length
  } catch (error) {
    if (error instanceof SourceError) return 0
    throw error
  }
}

function report({ url, type, state }: ReturnType<Sources['all']>[number]): RepositoryReport {
  return {
    url,
    type,
    ready: state.ready,
    ...(state.refreshedAtMs === undefined ? {} : { refreshedAtMs: state.refreshedAtMs }),
    ...(state.trouble === undefined ? {} : { trouble: state.trouble }),
  }
}

/** Keys that are handed on to whoever listens: from the outside into a loop's queue, or from one loop's queue to another's. */
class Listeners {
  readonly #told = new Set<(key: string) => void>()

  add(told: (key: string) => void): () => void {
    this.#told.add(told)
    return () => this.#told.delete(told)
  }

  tell(key: string): void {
    for (const told of this.#told) told(key)
  }
}

/** The loops alone, for whoever needs nothing else of the reconciler. */
export const gitopsLoops = (options: GitopsOptions): readonly LoopDefinition[] => createGitops(options).loops
