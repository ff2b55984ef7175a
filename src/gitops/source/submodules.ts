// Finds the files of submodules: at the commit that the repository records, and only when somebody reads below their path.
// Their remotes are mirrored like others, with the access that is said for their URLs. How deep and how many is bounded.

import { join } from 'node:path'
import type { World } from '#world'
import { commitSnapshot, type KnownListings, newKnownListings, type OpenModule } from './commit-snapshot.ts'
import { findRepository, mustStayWithin } from './git-layout.ts'
import { type GitModule, moduleSteps, moduleUrl } from './git-modules.ts'
import { GitObjects } from './git-objects.ts'
import { deeper, type Nesting } from './nesting.ts'
import type { Repository } from './repository.ts'
import type { Snapshot } from './snapshot.ts'
import { SourceError } from './source-error.ts'

const maxDepth = 5
const maxOpened = 100
/** A remote that did not have a commit is not asked again before. */
const againMs = 30_000

/** A repository with submodules. */
export interface ModuleHome {
  /** Its own address: relative ones are seen from it. */
  readonly url: string | undefined
  /** Of a repository on this machine: submodules that are checked out are in its `modules`. */
  readonly gitDirectory?: string
  /** What nothing on this machine may lead out of. */
  readonly within?: string | undefined
}

export interface SubmodulesOptions {
  readonly world: World
  /** The repository of an address that is not on this machine. */
  readonly repository: (url: string) => Repository
  readonly enabled: () => boolean
}

interface Store {
  readonly objects: GitObjects
  readonly listings: KnownListings
}

export class Submodules {
  readonly #options: SubmodulesOptions
  readonly #stores = new Map<string, Store>()
  readonly #asked = new Map<string, number>()

  constructor(options: SubmodulesOptions) {
    this.#options = options
  }

  /** Undefined: submodules are switched off. */
  opener(home: ModuleHome, nesting: Nesting): OpenModule | undefined {
    return this.#options.enabled() ? (module, id) => this.#open(home, { module, id, nesting }) : undefined
  }

  async #open(home: ModuleHome, wanted: Wanted): Promise<Snapshot> {
    const { depth, opened } = wanted.nesting
    if (depth >= maxDepth) throw new SourceError('TooLarge', `submodules are nested more than ${maxDepth} deep`)
    if (++opened.count > maxOpened) throw new SourceError('TooLarge', `more than ${maxOpened} submodules are used`)
    return (await this.#checkedOut(home, wanted)) ?? this.#fetched(home, wanted)
  }

  /** From what git has fetched itself for a repository on this machine. */
  async #checkedOut(home: ModuleHome, { module, id, nesting }: Wanted): Promise<Snapshot | undefined> {
    const steps = moduleSteps(module.name)
    if (home.gitDirectory === undefined || steps === undefined) return undefined
    const gitDirectory = join(home.gitDirectory, 'modules', ...steps)
    const { world } = this.#options
    const found = await world.clock.outside('git submodule', async () => {
      const store = await this.#store(gitDirectory, home.within)
      // Git may have fetched since.
      store?.objects.forgetPacks()
      const commit = await store?.objects.commit(id)
      return store === undefined || commit === undefined ? undefined : { ...store, commit }
    })
    if (found === undefined) return undefined
    const inner: ModuleHome = { url: absolute(home, module), gitDirectory, within: home.within }
    return commitSnapshot({ world, ...found, openModule: this.opener(inner, deeper(nesting)) })
  }

  async #store(gitDirectory: string, within: string | undefined): Promise<Store | undefined> {
    const known = this.#stores.get(gitDirectory)
    if (known !== undefined) return known
    const layout = await findRepository(gitDirectory)
    if (layout === undefined) return undefined
    if (within !== undefined) await mustStayWithin(within, [gitDirectory, ...layout.objectHomes])
    const store = { objects: new GitObjects(layout.objectHomes), listings: newKnownListings() }
    this.#stores.set(gitDirectory, store)
    return store
  }

  async #fetched(home: ModuleHome, { module, id, nesting }: Wanted): Promise<Snapshot> {
    const url = moduleUrl(module.url, home.url)
    const repository = this.#options.repository(url)
    const inner = deeper(nesting)
    if (repository.state.ready) {
      const snapshot = await repository.snapshot(id, inner).catch(undefinedIfMissing)
      if (snapshot !== undefined) return snapshot
    }
    await this.#refresh(repository)
    const { ready, trouble } = repository.state
    if (!ready) throw new SourceError('Unreachable', trouble?.message ?? `${repository.url}: not fetched yet`)
    const snapshot = await repository.snapshot(id, inner).catch(undefinedIfMissing)
    if (snapshot !== undefined) return snapshot
    const { depth } = repository
    const unled =
      depth === undefined ? 'no branch or tag leads to it' : `no branch or tag leads to it within \`depth\` (${depth})`
    const why = trouble === undefined ? `${unled}, and the server does not give it out` : trouble.message
    throw new SourceError('RevisionNotFound', `${repository.url} has no commit ${id}: ${why}`)
  }

  async #refresh(repository: Repository): Promise<void> {
    const now = this.#options.world.clock.now()
    const before = this.#asked.get(repository.key)
    if (before !== undefined && now - before < againMs) return
    this.#asked.set(repository.key, now)
    await repository.refresh()
  }
}

interface Wanted {
  readonly module: GitModule
  readonly id: string
  readonly nesting: Nesting
}

/** Undefined where it cannot be told; whatever needs it will say why. */
function absolute(home: ModuleHome, module: GitModule): string | undefined {
  try {
    return moduleUrl(module.url, home.url)
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof SourceError && error.code === 'RevisionNotFound') return undefined
  throw error
}
