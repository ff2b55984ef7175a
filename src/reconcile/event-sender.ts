// Writes Events one after the other, behind the loops' backs: recording never waits and never fails. A server that
// cannot be reached is tried again 12 times, 10 s apart; what the server refuses is dropped, as in client-go.

import { ApiError } from '#api'
import type { World } from '#world'

const queueLimit = 50_000
const triesPerEvent = 12
const retryMs = 10_000

export type Send = () => Promise<unknown>

export class EventSender {
  readonly #world: World
  readonly #name: string
  readonly #stopping = new AbortController()
  #queue: Send[] = []
  #sending = false

  constructor(world: World, name: string) {
    this.#world = world
    this.#name = name
  }

  /** Adds one piece of work; dropped when far too many wait. */
  add(send: Send): void {
    if (this.#stopping.signal.aborted || this.#queue.length >= queueLimit) return
    this.#queue.push(send)
    if (this.#sending) return
    this.#sending = true
    this.#world.clock.soon(`events ${this.#name}`, () => void this.#sendAll())
  }

  stop(): void {
    this.#stopping.abort()
    this.#queue = []
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue
      this.#queue = []
      for (const send of batch) {
        if (this.#stopping.signal.aborted) return
        try {
          await send()
        } catch (error) {
          await this.#sendAgain(send, error)
        }
      }
    }
    this.#sending = false
  }

  async #sendAgain(send: Send, failure: unknown): Promise<void> {
    let error = failure
    for (let tries = 1; tries <= triesPerEvent; tries += 1) {
      if (error instanceof ApiError && error.code < 500 && error.code !== 429) {
        this.#world.log.debug(`event of ${this.#name} refused: ${error.message}`)
        return
      }
      const firstMs = this.#world.random.int(retryMs)
      await this.#world.clock.sleep(tries === 1 ? firstMs : retryMs, this.#stopping.signal).catch(() => undefined)
      if (this.#stopping.signal.aborted || tries === triesPerEvent) return
      try {
        await send()
        return
      } catch (again) {
        error = again
      }
    }
  }
}
