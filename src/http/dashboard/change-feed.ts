// Tells open pages that something has changed: one watch per kind, shared by all of them and kept only while somebody
// listens. Says what changed, not how: whoever listens reads again.

import type { Client } from '#client'
import { apiVersionOf, type Kind } from '#kinds'
import type { KubeObject, ObjectMeta } from '#objects'
import type { World } from '#world'

export interface Change {
  readonly type: string
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

type Listener = (change: Change) => void

const retryMs = 1000

export class ChangeFeed {
  readonly #client: Client
  readonly #world: World
  readonly #kinds: readonly Kind[]
  readonly #listeners = new Set<Listener>()
  #abort: AbortController | undefined

  constructor(client: Client, world: World, kinds: readonly Kind[]) {
    this.#client = client
    this.#world = world
    this.#kinds = kinds
  }

  /** Calls `listener` on every change until the answer is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#abort === undefined) {
      const abort = new AbortController()
      this.#abort = abort
      for (const kind of this.#kinds) void this.#follow(kind, abort.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.#abort?.abort()
    this.#abort = undefined
  }

  async #follow(kind: Kind, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { resourceVersion } = await this.#client.list(kind, { limit: 1, signal })
        for await (const events of await this.#client.watch(kind, { resourceVersion, signal }))
          for (const { type, object } of events)
            if (type !== 'BOOKMARK' && type !== 'ERROR') this.#tell(kind, type, object)
      } catch {
        // The kind may not be served yet, or the watch has fallen behind: it begins anew.
      }
      if (!signal.aborted) await this.#world.clock.sleep(retryMs, signal).catch(() => undefined)
    }
  }

  #tell(kind: Kind, type: string, object: KubeObject): void {
    const { namespace, name = '' }: ObjectMeta = object.metadata
    const change: Change = {
      type,
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
    }
    for (const listener of this.#listeners) listener(change)
  }
}
