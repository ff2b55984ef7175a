// Keeps every repository that applications use up to date: fetches remotes when they are due or a webhook said so, reads
// the refs of local ones when they change, and tells when something moved.
// Reads: Applications, ApplicationSets, Secrets and certificates of repositories, remotes, local repositories.  Writes: mirrors on disk; nothing in the cluster.

import { repositoriesOf } from '#gitops/applicationset'
import { type Repository, SourceError, type Sources } from '#gitops/source'
import { Application, ApplicationSet, ConfigMap, Secret } from '#kinds'
import { isEqual } from '#objects'
import {
  type Cache,
  done,
  type Index,
  type Kit,
  type LoopDefinition,
  type Outcome,
  requeueAfter,
  watching,
} from '#reconcile'
import { controllerManager, controllerUser } from '../application/names.ts'
import { spread } from '../application/refresh.ts'
import { type RepositoryName, repositoryNames } from '../application/source-set.ts'
import { isCredentialsSecret, isTrust } from './credentials.ts'

export interface RepositoryNews {
  readonly repository: Repository
  /** Its refs moved, or its trouble came or went. */
  readonly moved: boolean
}

export interface RepositoryLoopOptions {
  readonly sources: Sources
  readonly pollMs: number
  readonly opened: () => Promise<void>
  /** Follow local repositories by their files (real time only). */
  readonly follow: boolean
  /** Called with the cache in which Secrets of repositories are. */
  readonly sees: (cache: Cache) => void
  /** Called after every look at a repository. */
  readonly refreshed: (news: RepositoryNews) => Promise<void>
  /** Registers who is told that a repository shall be read now. */
  readonly onDue: (told: (repository: string) => void) => () => void
}

const spreadMs = 60_000
/** A repository that was read is read again at most this often because Applications come. */
const crowdMs = 1000
/** A local repository is looked at this often in case its files told nothing. */
const localPollMs = 10_000

export function repositoryLoop(options: RepositoryLoopOptions): LoopDefinition {
  const keyOf = repositoryKeys(options.sources)
  const newKeys = (app: Application, old: Application | undefined): readonly string[] =>
    old !== undefined && isSameSource(app, old) ? [] : keyOf(repositoryNames(app))
  const byRepository: Index<Application> = {
    name: 'gitops-repository',
    kind: Application,
    values: (app) => keyOf(repositoryNames(app)),
  }
  const setsByRepository: Index<ApplicationSet> = {
    name: 'gitops-repository',
    kind: ApplicationSet,
    values: (set) => keyOf(namesIn(set)),
  }
  return {
    name: 'repository',
    user: controllerUser,
    manager: controllerManager,
    watches: [
      watching(Application, (app, old) => newKeys(app, old).filter((key) => !isReady(options.sources, key))),
      // Thousands may come one after the other: each sees what is there, and what is newer comes a moment later.
      watching(Application, (app, old) => newKeys(app, old).filter((key) => isReady(options.sources, key)), {
        batchMs: crowdMs,
      }),
      watching(ApplicationSet, (set, old) => (old?.spec === set.spec ? [] : keyOf(namesIn(set)))),
      // Whoever was refused is asked again.
      watching(Secret, (secret) => (isCredentialsSecret(secret) ? inTrouble(options.sources) : [])),
      watching(ConfigMap, (map) => (isTrust(map) ? inTrouble(options.sources) : [])),
    ],
    wakes: (wake) => {
      const ends = [options.onDue(wake), ...followLocal(options, wake)]
      return () => {
        for (const end of ends) end()
      }
    },
    workers: 10,
    reconcile: (key, kit) => {
      const isUsed = () => kit.cache.by(byRepository, key).length > 0 || kit.cache.by(setsByRepository, key).length > 0
      options.sees(kit.cache)
      return reconcile(options, key, { kit, isUsed })
    },
  }
}

const namesIn = ({ spec }: ApplicationSet): readonly RepositoryName[] =>
  repositoriesOf(spec.generators).map((repoURL) => ({ repoURL, chart: '' }))

const isReady = (sources: Sources, key: string): boolean => sources.get(key)?.state.ready === true

const inTrouble = (sources: Sources): readonly string[] =>
  sources.all().flatMap(({ key, state }) => (state.trouble === undefined ? [] : [key]))

const isSameSource = (a: Application, b: Application): boolean =>
  a.spec === b.spec || isEqual(repositoryNames(a), repositoryNames(b))

function repositoryKeys(sources: Sources): (names: readonly RepositoryName[]) => readonly string[] {
  const keyOf = ({ repoURL, chart }: RepositoryName): readonly string[] => {
    try {
      return [sources.repository(repoURL, chart).key]
    } catch (error) {
      if (error instanceof SourceError) return []
      throw error
    }
  }
  return (names) => [...new Set(names.flatMap(keyOf))]
}

/** Local repositories are followed from when they have been read; not in virtual time. */
function followLocal(
  { sources, follow, opened }: RepositoryLoopOptions,
  wake: (key: string) => void,
): readonly (() => void)[] {
  if (!follow) return []
  const ends: (() => void)[] = []
  let ended = false
  void opened().then(() => {
    if (ended) return
    for (const repository of sources.all())
      if (repository.type === 'local') ends.push(repository.follow(() => wake(repository.key)))
  })
  return [
    () => {
      ended = true
      for (const end of ends) end()
    },
  ]
}

async function reconcile(
  options: RepositoryLoopOptions,
  key: string,
  { kit, isUsed }: { readonly kit: Kit; readonly isUsed: () => boolean },
): Promise<Outcome> {
  await options.opened()
  const repository = options.sources.get(key)
  if (repository === undefined || !isUsed()) return done()
  const moved = await repository.refresh()
  await options.refreshed({ repository, moved })
  if (repository.state.trouble !== undefined)
    kit.world.log.warn(repository.state.trouble.message, { repository: repository.url })
  if (options.pollMs <= 0) return done()
  const pollMs =
    repository.type === 'local'
      ? Math.min(options.pollMs, localPollMs)
      : options.pollMs + Math.floor(spread(key) * Math.min(spreadMs, options.pollMs / 2))
  return requeueAfter(pollMs)
}
