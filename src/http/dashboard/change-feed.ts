// Tells open pages that something has changed: one watch per kind, shared by all of them and kept only while somebody
// listens. Says what changed, not how: whoever listens reads again. Where something may have been missed (a watch that was
// opened, or opened again), it says RELOAD.

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

export interface Reload {
  readonly type: 'RELOAD'
}

type Listener = (change: Change | Reload) => void

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
            if (!isInitial) this.#tell(changeOf(kind, type, object))
          },
          onOpen: () => this.#tell({ type: 'RELOAD' }),
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

  #tell(change: Change | Reload): void {
    for (const listener of this.#listeners) listener(change)
  }
}

function changeOf(kind: Kind, type: string, object: KubeObject): Change {
  const { namespace, name = '' }: ObjectMeta = object.metadata
  const space = namespace === undefined ? {} : { namespace }
  return { type, apiVersion: apiVersionOf(kind), kind: kind.kind, ...space, name }
}
