// Who follows which repositories: keys of a loop by the keys of repositories, for waking those that a moved one concerns.

export class Followers {
  readonly #byRepository = new Map<string, Set<string>>()
  readonly #byKey = new Map<string, readonly string[]>()

  /** Notes which repositories a key follows now; none: it is gone. */
  follow(key: string, repositories: readonly string[]): void {
    const before = this.#byKey.get(key) ?? []
    if (isSameList(before, repositories)) return
    for (const repository of before) this.#byRepository.get(repository)?.delete(key)
    if (repositories.length === 0) this.#byKey.delete(key)
    else this.#byKey.set(key, repositories)
    for (const repository of repositories) {
      const followers = this.#byRepository.get(repository) ?? new Set<string>()
      this.#byRepository.set(repository, followers.add(key))
    }
  }

  followed(key: string): readonly string[] {
    return this.#byKey.get(key) ?? []
  }

  of(repository: string): Iterable<string> {
    return this.#byRepository.get(repository) ?? []
  }
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index])
