// What the loop remembers between two looks and could do without: the configuration as it was read, what could not be sent and
// when it is tried again, and what was sent but not noted on the application yet.

import type { NotificationsConfig } from './config.ts'
import type { Sent } from './state.ts'

interface Failed {
  readonly attempts: number
  readonly dueAt: number
  readonly message: string
}

const firstMs = 5_000
const longestMs = 600_000

export class Memory {
  #config: { readonly of: readonly unknown[]; readonly value: NotificationsConfig } | undefined
  /** By application, and by what was to be sent. */
  readonly #failed = new Map<string, Map<string, Failed>>()
  readonly #sent = new Map<string, Record<string, number>>()

  /** Read once for the same objects. */
  config(of: readonly unknown[], read: () => NotificationsConfig): NotificationsConfig {
    if (this.#config === undefined || this.#config.of.some((each, index) => each !== of[index]))
      this.#config = { of, value: read() }
    return this.#config.value
  }

  forget(app: string): void {
    this.#failed.delete(app)
    this.#sent.delete(app)
  }

  sent(app: string): Sent {
    return this.#sent.get(app) ?? {}
  }

  noteSent(app: string, key: string, seconds: number): void {
    this.#sent.set(app, { ...this.#sent.get(app), [key]: seconds })
    this.#failed.get(app)?.delete(key)
  }

  forgetSent(app: string): void {
    this.#sent.delete(app)
  }

  isEarly(app: string, key: string, now: number): boolean {
    return (this.dueAt(app, key) ?? 0) > now
  }

  dueAt(app: string, key: string): number | undefined {
    return this.#failed.get(app)?.get(key)?.dueAt
  }

  /** Each attempt is twice as late as the one before. True: this is news. */
  noteFault(app: string, key: string, { now, message }: { readonly now: number; readonly message: string }): boolean {
    const all = this.#failed.get(app) ?? new Map<string, Failed>()
    const before = all.get(key)
    const attempts = (before?.attempts ?? 0) + 1
    all.set(key, { attempts, message, dueAt: now + Math.min(firstMs * 2 ** (attempts - 1), longestMs) })
    this.#failed.set(app, all)
    return before?.message !== message
  }
}
