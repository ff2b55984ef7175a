// What the loops remember of applications between two looks: derived from git and the cluster, and made anew when it is
// lost. Pages read from here too. One owner: the application loop.

import type { Cache } from '#reconcile'
import type { Comparison } from './comparison.ts'
import type { Answers } from './judge.ts'

export interface AppMemory {
  readonly answers: Answers
  comparison: Comparison | undefined
  /** Key of the repository that it follows. */
  repository: string | undefined
  /** Some of its objects are of kinds that the cluster does not serve. */
  hasUnknownKinds: boolean
}

export class Memory {
  readonly #apps = new Map<string, AppMemory>()
  readonly #byRepository = new Map<string, Set<string>>()
  /** The application loop's view of the cluster, for readers; undefined before its first look. */
  cache: Cache | undefined

  of(key: string): AppMemory {
    const known = this.#apps.get(key)
    if (known !== undefined) return known
    const made: AppMemory = { answers: new Map(), comparison: undefined, repository: undefined, hasUnknownKinds: false }
    this.#apps.set(key, made)
    return made
  }

  find(key: string): AppMemory | undefined {
    return this.#apps.get(key)
  }

  forget(key: string): void {
    this.follow(key, undefined)
    this.#apps.delete(key)
  }

  /** Notes that an application follows a repository (or none any more). */
  follow(key: string, repository: string | undefined): void {
    const app = this.#apps.get(key)
    if (app === undefined || app.repository === repository) return
    if (app.repository !== undefined) this.#byRepository.get(app.repository)?.delete(key)
    app.repository = repository
    if (repository === undefined) return
    const followers = this.#byRepository.get(repository) ?? new Set<string>()
    this.#byRepository.set(repository, followers)
    followers.add(key)
  }

  followersOf(repository: string): Iterable<string> {
    return this.#byRepository.get(repository) ?? []
  }

  *withUnknownKinds(): Iterable<string> {
    for (const [key, app] of this.#apps) if (app.hasUnknownKinds) yield key
  }
}
