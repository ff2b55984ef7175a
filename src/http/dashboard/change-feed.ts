// Tells open pages that something has changed: one watch per kind, shared by all of them and kept only while somebody
// listens. Says what changed, not how: whoever listens reads again.

import type { Client } from '#client'
import { apiVersionOf, type Kind } from '#kinds'
import type { KubeObject, ObjectMeta } from '#objects'
import type { World } from '#world'
import { followKind } from '../follow-kind.ts'

export interface Change {
  readonly type: string
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

type Listener = (change: Change) => void

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
      const { signal } = abort
      for (const kind of this.#kinds)
        void followKind({
          client: this.#client,
          world: this.#world,
          kind,
          signal,
          onEvent: ({ type, object }, isInitial) => {
            if (!isInitial) this.#tell(kind, type, object)
          },
        })
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
