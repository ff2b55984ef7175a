// What the loops remember of applications between two looks: derived from git and the cluster, and made anew when it is
// lost. Pages read from here too. One owner: the application loop.

import type { Cache } from '#reconcile'
import type { Comparison } from './comparison.ts'
import type { Answers } from './judge.ts'

export interface AppMemory {
  readonly answers: Answers
  comparison: Comparison | undefined
  /** Keys of the repositories that it follows. */
  repositories: readonly string[]
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
    const made: AppMemory = { answers: new Map(), comparison: undefined, repositories: [], hasUnknownKinds: false }
    this.#apps.set(key, made)
    return made
  }

  find(key: string): AppMemory | undefined {
    return this.#apps.get(key)
  }

  forget(key: string): void {
    this.follow(key, [])
    this.#apps.delete(key)
  }

  /** Notes which repositories an application follows now. */
  follow(key: string, repositories: readonly string[]): void {
    const app = this.#apps.get(key)
    if (app === undefined || isSameList(app.repositories, repositories)) return
    for (const repository of app.repositories) this.#byRepository.get(repository)?.delete(key)
    app.repositories = repositories
    for (const repository of repositories) {
      const followers = this.#byRepository.get(repository) ?? new Set<string>()
      this.#byRepository.set(repository, followers)
      followers.add(key)
    }
  }

  followersOf(repository: string): Iterable<string> {
    return this.#byRepository.get(repository) ?? []
  }

  *withUnknownKinds(): Iterable<string> {
    for (const [key, app] of this.#apps) if (app.hasUnknownKinds) yield key
  }
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])
