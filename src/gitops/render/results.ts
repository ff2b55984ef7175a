// What was rendered before: by all that it depends on, and, of plain directories, by the very listing.

import { type Listing, RecentMap } from '#gitops/source'
import type { ApplicationSource } from '#kinds'
import type { World } from '#world'
import { isJsonnet } from './manifests.ts'
import type { Content } from './plan.ts'

const keptResults = 200_000
const restMs = 60_000
const maxRestMs = 240_000

interface Kept {
  readonly content: Content
  readonly until?: number
  readonly restMs?: number
}

/** What plans gave, by their keys. */
export class Results {
  readonly #kept = new RecentMap<Kept>(keptResults)
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  get(key: string): Content | undefined {
    const kept = this.#kept.get(key)
    return kept?.until === undefined || this.#world.clock.now() < kept.until ? kept?.content : undefined
  }

  keep(key: string, content: Content): void {
    this.#kept.set(key, { content }, content.objects.length + 1)
  }

  /** What did not come to an end may go well the next time, but not at every event of an object; less often each time. */
  keepForNow(key: string, content: Content): void {
    const before = this.#kept.get(key)?.restMs ?? restMs / 2
    const rest = Math.min(before * 2, maxRestMs)
    this.#kept.set(key, { content, restMs: rest, until: this.#world.clock.now() + rest })
  }

  /** It did not come to an end the last time. */
  wasStopped(key: string): boolean {
    return this.#kept.get(key)?.until !== undefined
  }
}
/** Results of plain directories by the very listing: what most applications are, most of the time. */
export class QuickResults {
  readonly #byFiles = new WeakMap<Listing['files'], Map<string, Content>>()

  get({ files }: Listing, source: ApplicationSource): Content | undefined {
    const key = quickKey(source)
    return key === undefined ? undefined : this.#byFiles.get(files)?.get(key)
  }

  set({ files }: Listing, source: ApplicationSource, content: Content): void {
    const key = quickKey(source)
    // What these read stands in other folders too.
    if (key === undefined || files.some(({ path }) => path.startsWith('.argocd-source') || isJsonnet(path))) return
    const known = this.#byFiles.get(files) ?? new Map<string, Content>()
    this.#byFiles.set(files, known.set(key, content))
  }
}

function quickKey({ directory, helm, kustomize, plugin, chart }: ApplicationSource): string | undefined {
  // Any other block may make another kind of source of the same files.
  const others = [helm, kustomize, plugin, chart, directory?.jsonnet]
  if (others.some((block) => block !== undefined)) return undefined
  return `${directory?.recurse === true}\0${directory?.include ?? ''}\0${directory?.exclude ?? ''}`
}
