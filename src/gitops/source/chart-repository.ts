// One chart of a Helm repository or OCI registry, by version. A version is fetched once and never again: it does not change.
// A range of versions is asked for again when the repository is due, and means the highest version that fits.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type ChartAccess, ToolFault, type Tools } from '#gitops/tools'
import { proxyVariables } from '#gitops/web'
import type { Cancel, World } from '#world'
import { diskSnapshot, newDiskIds } from './disk-snapshot.ts'
import { type AccessOf, type RemoteAccess, secretsOf } from './remote-access.ts'
import { withoutCredentials } from './repo-url.ts'
import type { Repository, RepositoryState } from './repository.ts'
import type { Snapshot } from './snapshot.ts'
import { messageOf, SourceError, scrub } from './source-error.ts'

export interface ChartRepositoryOptions {
  readonly world: World
  /** Where fetched charts are kept. */
  readonly directory: string
  readonly url: string
  readonly chart: string
  readonly tools: Pick<Tools, 'pull'>
  readonly access: AccessOf
}

export const chartKey = (url: string, chart: string): string =>
  `chart:${withoutCredentials(url).replace(/\/+$/, '')} ${chart}`

const exactVersion = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

export class ChartRepository implements Repository {
  readonly key: string
  readonly url: string
  readonly type = 'remote'
  readonly readsFiles = false
  readonly commits = undefined
  // There is nothing to read before a version is asked for.
  state: RepositoryState = { ready: true, refreshedAtMs: undefined, trouble: undefined }
  readonly #options: ChartRepositoryOptions
  readonly #folder: string
  /** By what was asked for: the version that it means. */
  readonly #versions = new Map<string, string>()
  readonly #fetching = new Map<string, Promise<string>>()
  readonly #ids = newDiskIds()

  constructor(options: ChartRepositoryOptions) {
    this.#options = options
    this.url = withoutCredentials(options.url)
    this.key = chartKey(options.url, options.chart)
    const id = createHash('sha256').update(this.key).digest('hex').slice(0, 16)
    this.#folder = join(options.directory, 'charts', id)
  }

  /** Asks for the ranges again. True when one of them means another version now, or trouble came or went. Never throws. */
  async refresh(): Promise<boolean> {
    const before = this.state.trouble?.message
    let moved = false
    let failure: string | undefined
    for (const [wanted, version] of this.#versions) {
      if (exactVersion.test(wanted)) continue
      try {
        moved = (await this.#fetch(wanted)) !== version || moved
      } catch (error) {
        failure = messageOf(error)
      }
    }
    this.#note(failure)
    return moved || before !== failure
  }

  #note(failure: string | undefined): void {
    const now = this.#options.world.clock.now()
    const { refreshedAtMs, trouble } = this.state
    this.state =
      failure === undefined
        ? { ready: true, refreshedAtMs: now, trouble: undefined }
        : { ready: true, refreshedAtMs, trouble: { message: failure, sinceMs: trouble?.sinceMs ?? now } }
  }

  async snapshot(revision: string): Promise<Snapshot> {
    const version = this.#versions.get(revision) ?? (await this.#fetch(revision))
    const root = join(this.#folder, version)
    const { world } = this.#options
    const disk = diskSnapshot({ world, root, within: root, ids: this.#ids })
    return {
      list: async (path, options) => ({ ...(await disk.list(path, options)), revision: version }),
      read: disk.read,
    }
  }

  /** Askers for the same thing share the answer. */
  #fetch(wanted: string): Promise<string> {
    const running = this.#fetching.get(wanted) ?? this.#load(wanted).finally(() => this.#fetching.delete(wanted))
    this.#fetching.set(wanted, running)
    return running
  }

  async #load(wanted: string): Promise<string> {
    if (wanted === '')
      throw new SourceError('InvalidRevision', `${this.#options.chart}: a chart needs a version in targetRevision`)
    const isHere = exactVersion.test(wanted) && existsSync(join(this.#folder, wanted))
    const version = isHere ? wanted : await this.#pull(wanted)
    this.#versions.set(wanted, version)
    return version
  }

  async #pull(version: string): Promise<string> {
    const { world, url, chart, tools } = this.#options
    const access = this.#options.access()
    const arriving = join(this.#folder, `.${createHash('sha256').update(version).digest('hex').slice(0, 16)}`)
    try {
      await tools.pull({ repository: url, chart, version, folder: arriving, access: chartAccess(access) })
    } catch (error) {
      if (!(error instanceof ToolFault)) throw error
      throw new SourceError(
        'Unreachable',
        `${this.url}: chart ${chart} ${version}: ${scrub(messageOf(error), secretsOf(access))}`,
      )
    }
    return world.clock.outside('chart', () => settle(this.#folder, arriving, version))
  }

  describe(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  signed(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  tags(): Promise<readonly string[]> {
    return Promise.resolve([])
  }

  follow(): Cancel {
    return () => undefined
  }
}

function chartAccess({ credentials = {}, tls = {}, proxies }: RemoteAccess): ChartAccess {
  const { username, password } = credentials
  return { ...tls, username, password, proxies: proxies === undefined ? undefined : proxyVariables(proxies) }
}

/** Gives what arrived the name of its version. */
async function settle(folder: string, arriving: string, wanted: string): Promise<string> {
  const chart = await readChart(arriving, wanted)
  const said = typeof chart === 'object' && chart !== null && 'version' in chart ? String(chart.version) : ''
  if (!exactVersion.test(said))
    throw new SourceError('Damaged', `the chart for ${wanted} says that its version is ${JSON.stringify(said)}`)
  const version = exactVersion.test(wanted) ? wanted : said
  const home = join(folder, version)
  await mkdir(folder, { recursive: true })
  if (existsSync(home)) await rm(arriving, { recursive: true, force: true })
  else await rename(arriving, home)
  return version
}

async function readChart(arriving: string, wanted: string): Promise<unknown> {
  try {
    return parse(await readFile(join(arriving, 'Chart.yaml'), 'utf8'))
  } catch (error) {
    throw new SourceError('Damaged', `the chart for ${wanted}: Chart.yaml: ${messageOf(error).split('\n')[0]}`)
  }
}
