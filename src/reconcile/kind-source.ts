// How the objects of one kind are asked for: a list, in pages where that is wished, and a watch from a revision on.

import type { Client } from '#client'
import type { Kind } from '#kinds'
import type { KubeObject } from '#objects'
import type { Random, World } from '#world'

export interface SourceOptions {
  readonly world: World
  readonly client: Client
  /** Lists come in pages of this many objects (a real cluster); default: in one. */
  readonly pageSize?: number
  /** Watches are asked to end after a random time between this and twice as long; default: the server decides. */
  readonly watchTimeoutSeconds?: number
  /** Only the objects of this namespace; default: all. */
  readonly namespace?: string
}

/** So many listed objects are taken over in one go. */
const sliceSize = 2000

export class KindSource {
  readonly #kind: Kind
  readonly #name: string
  readonly #options: SourceOptions
  readonly #random: Random

  constructor(kind: Kind, name: string, options: SourceOptions & { readonly random: Random }) {
    this.#kind = kind
    this.#name = name
    this.#options = options
    this.#random = options.random
  }

  /** Hands out every object; answers the revision that the list is of. */
  async list(take: (object: KubeObject) => void): Promise<number> {
    const { clock } = this.#options.world
    let page = await this.#page(undefined)
    for (;;) {
      for (let i = 0; i < page.items.length; i += 1) {
        if (i > 0 && i % sliceSize === 0) await clock.breathe(`list ${this.#name}`)
        const object = page.items[i]
        if (object !== undefined) take(object)
      }
      if (page.continue === undefined) return Number(page.resourceVersion)
      page = await this.#page(page.continue)
    }
  }

  watch(revision: number, signal: AbortSignal): ReturnType<Client['watch']> {
    const least = this.#options.watchTimeoutSeconds
    return this.#options.client.watch(this.#kind, {
      resourceVersion: String(revision),
      allowWatchBookmarks: true,
      signal,
      ...this.#space(),
      ...(least === undefined ? {} : { timeoutSeconds: Math.round(least * (1 + this.#random.next())) }),
    })
  }

  #page(token: string | undefined): ReturnType<Client['list']> {
    const { pageSize, client } = this.#options
    return client.list(this.#kind, {
      ...this.#space(),
      ...(pageSize === undefined ? {} : { limit: pageSize }),
      ...(token === undefined ? {} : { continue: token }),
    })
  }

  #space(): { readonly namespace?: string } {
    const { namespace } = this.#options
    return namespace === undefined ? {} : { namespace }
  }
}
