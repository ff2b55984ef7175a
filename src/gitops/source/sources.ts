// All repositories of one reconciler, by URL. Local paths must have been named at start: a manifest cannot point
// the reconciler at another folder of this machine. A URL that is a remote of a named local repository means that
// checkout, so applications that refer to their own repository work without a network.

import { relative, sep } from 'node:path'
import type { Tools } from '#gitops/tools'
import { proxiesOf } from '#gitops/web'
import type { World } from '#world'
import { ChartRepository, chartKey } from './chart-repository.ts'
import { askHelpers } from './credential-helper.ts'
import { environmentCredentials } from './environment-credentials.ts'
import { httpGit } from './http-git.ts'
import { LocalRepository } from './local-repository.ts'
import { PackUpkeep } from './pack-upkeep.ts'
import { PackIndexer } from './packing/indexer.ts'
import type { Pin } from './pin.ts'
import { RecentMap } from './recent-map.ts'
import type { RemoteAccess } from './remote-access.ts'
import { RemoteRepository } from './remote-repository.ts'
import { exactKey, looseKey, parseRepoUrl, type RepoAddress, urlFault, withoutCredentials } from './repo-url.ts'
import type { Repository } from './repository.ts'
import { SourceError } from './source-error.ts'
import { sshGit } from './ssh-git.ts'
import { Submodules } from './submodules.ts'
import type { Transport } from './transport.ts'

const keptTexts = 10_000

export interface LocalSource {
  readonly path: string
  /** Show uncommitted files. */
  readonly worktree?: boolean
  /** URLs that mean it, beside those of its remotes. */
  readonly urls?: readonly string[]
  /** What its branches mean now; asked at every look at its refs. */
  readonly pin?: () => Pin
}

export interface SourcesOptions {
  readonly world: World
  /** Where mirrors of remotes are kept. */
  readonly directory: string
  readonly local?: readonly LocalSource[]
  /** What a person has named at start: git's credential helpers are asked for it alone, and tokens without a URL are its own. */
  readonly named?: string | undefined
  /** What people have said of a repository or of all below a URL; credentials in the URL itself come before it, those of the environment after. */
  readonly access?: (url: string) => RemoteAccess
  /** Keys of ssh hosts, besides those in the user's own file. */
  readonly knownHosts?: () => string | undefined
  /** Of the user: credentials, proxies; for ssh PATH, HOME, SSH_AUTH_SOCK. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Whether submodules are read; default: they are. */
  readonly submodules?: () => boolean
  /** What fetches charts of Helm repositories. */
  readonly tools?: Pick<Tools, 'pull'>
  /** Given where nothing is fetched: what to do about a repository, or a chart of one, that is not on this machine. */
  readonly offline?: (url: string, chart: string) => string
}

export interface Sources {
  /** The repository that a URL means; with `chart` that chart of a Helm repository. Throws SourceError for what is none. */
  repository(url: string, chart?: string): Repository
  /** Every repository that has been asked for, and the local ones. */
  all(): readonly Repository[]
  get(key: string): Repository | undefined
  /** Repositories that a webhook's URL may mean: protocol, user, port, `.git` and case are ignored. */
  matching(url: string): readonly Repository[]
  /** Reads the local repositories and learns which remotes they are checkouts of. Called before the first look-up. */
  open(): Promise<void>
}

export function createSources(options: SourcesOptions): Sources {
  const { world, directory } = options
  const accessTo = accessOf(options)
  const indexer = new PackIndexer()
  const upkeep = new PackUpkeep({ warn: (message) => world.log.warn(message) })
  const repositories = new Map<string, Repository>()
  const aliases = new Map<string, LocalRepository>()
  const submodules = new Submodules({
    world,
    repository: (url) => repository(url),
    enabled: () => options.submodules?.() ?? true,
  })
  const locals = (options.local ?? []).map((source) => {
    const { path, worktree = false, urls = [], pin } = source
    const repository = new LocalRepository({ world, path, worktree, submodules, ...(pin === undefined ? {} : { pin }) })
    repositories.set(repository.key, repository)
    for (const url of [path, ...urls]) aliases.set(looseKey(url), repository)
    return repository
  })

  const local = (path: string): Repository => {
    const alias = aliases.get(looseKey(path))
    if (alias !== undefined) return alias
    const key = exactKey({ type: 'local', path })
    const known = repositories.get(key)
    if (known !== undefined) return known
    const above = locals.find((each) => isBelow(each.url, path))
    if (above === undefined) {
      throw new SourceError('InvalidUrl', `${path}: only local repositories that were named at start can be used`)
    }
    const repository = new LocalRepository({ world, path, worktree: false, within: above.url, submodules })
    repositories.set(key, repository)
    return repository
  }

  const refuseOffline = (url: string, chart: string): void => {
    if (options.offline === undefined) return
    const what = `${chart === '' ? '' : `chart ${chart} of `}${withoutCredentials(url)}`
    throw new SourceError('Unreachable', `${what} is not here, and nothing is fetched: ${options.offline(url, chart)}`)
  }

  const chartRepository = (url: string, chart: string): Repository => {
    const key = chartKey(url, chart)
    const known = repositories.get(key)
    if (known !== undefined) return known
    refuseOffline(url, chart)
    const { tools } = options
    if (tools === undefined) throw new SourceError('Unsupported', `${url}: there is no helm here to fetch charts`)
    const access = (): RemoteAccess => accessTo(url)
    const made = new ChartRepository({ world, directory, url, chart, tools, access })
    repositories.set(key, made)
    return made
  }

  const find = (url: string, chart: string): Repository => {
    if (chart !== '') return chartRepository(url, chart)
    const alias = aliases.get(looseKey(url))
    if (alias !== undefined) return alias
    const address = parseRepoUrl(url)
    if (address.type === 'local') return local(address.path)
    const key = exactKey(address)
    const known = repositories.get(key)
    if (known !== undefined) return known
    refuseOffline(url, '')
    const remote = new RemoteRepository({
      world,
      directory,
      url: address.url,
      transport: transportTo(address, { ...options, access: accessTo, indexer }),
      submodules,
      upkeep,
    })
    repositories.set(key, remote)
    return remote
  }

  /** Thousands of applications ask by the same text at every look. */
  const asked = new RecentMap<Repository>(keptTexts)
  const repository = (url: string, chart = ''): Repository => {
    const text = `${chart}\0${url}`
    const known = asked.get(text) ?? find(url, chart)
    asked.set(text, known)
    return known
  }

  return {
    repository,
    all: () => [...repositories.values()],
    get: (key) => repositories.get(key),
    matching(url) {
      const key = looseKey(url)
      const alias = aliases.get(key)
      const remotes = [...repositories.values()].filter((each) => looseKey(each.url) === key)
      return alias === undefined || remotes.includes(alias) ? remotes : [alias, ...remotes]
    },
    async open() {
      for (const each of locals) {
        await each.refresh()
        for (const url of await each.remoteUrls()) {
          const key = looseKey(url)
          if (!aliases.has(key)) aliases.set(key, each)
        }
      }
      asked.clear()
    },
  }
}

/** Secrets come before the environment. */
function accessOf({ access, environment = {}, named }: SourcesOptions): (url: string) => RemoteAccess {
  const fromEnvironment = environmentCredentials(environment)
  return (url) => {
    const given = access?.(url) ?? {}
    const said = { ...given, depth: given.depth ?? fromEnvironment.depth(url, isNamed(url, named)) }
    if (said.credentials !== undefined || said.tls?.certificate !== undefined) return said
    return { ...said, credentials: fromEnvironment.of(url, isNamed(url, named)) }
  }
}

const isNamed = (url: string, named = ''): boolean =>
  [url, named].every((each) => urlFault(each) === undefined) &&
  exactKey(parseRepoUrl(url)) === exactKey(parseRepoUrl(named))

type RemoteOptions = SourcesOptions & {
  readonly access: (url: string) => RemoteAccess
  readonly indexer: PackIndexer
}

function transportTo(address: Exclude<RepoAddress, { readonly type: 'local' }>, options: RemoteOptions): Transport {
  const { url } = address
  const { knownHosts = () => undefined, environment = {}, named } = options
  const known = (): RemoteAccess => options.access(url)
  if (address.type === 'ssh') return sshGit({ url, access: known, knownHosts, environment })
  const access = (): RemoteAccess =>
    address.credentials === undefined ? known() : { ...known(), credentials: address.credentials }
  const helper = isNamed(url, named) ? { helper: () => askHelpers(url, environment) } : {}
  return httpGit({ url, access, indexer: options.indexer, proxies: proxiesOf(environment), ...helper })
}

const isBelow = (root: string, path: string): boolean => {
  const inside = relative(root, path)
  return inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`)
}
