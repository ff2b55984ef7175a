// A map that forgets what was not used for long: the limit of what Event recorders remember. Two generations: when the
// young one is full it becomes the old one, and what nobody asked for since then is gone. Holds at most twice `limit`.

export class Recent<V> {
  readonly #limit: number
  #young = new Map<string, V>()
  #old = new Map<string, V>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: V): void {
    this.#young.set(key, value)
    if (this.#young.size < this.#limit) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  entries(): readonly (readonly [string, V])[] {
    return [...[...this.#old].filter(([key]) => !this.#young.has(key)), ...this.#young]
  }
}
