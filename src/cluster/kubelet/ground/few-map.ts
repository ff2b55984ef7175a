// A map for the few entries that a pod may have: nothing until the first is set, then a flat list. Tens of thousands of pods
// have several of these each, most of them always empty.

export class FewMap<V> {
  #entries: (string | V)[] | undefined

  get(key: string): V | undefined {
    const at = this.#at(key)
    return at < 0 ? undefined : (this.#entries?.[at + 1] as V)
  }

  set(key: string, value: V): void {
    const at = this.#at(key)
    if (at >= 0 && this.#entries !== undefined) this.#entries[at + 1] = value
    else {
      this.#entries ??= []
      this.#entries.push(key, value)
    }
  }

  delete(key: string): void {
    const at = this.#at(key)
    if (at >= 0) this.#entries?.splice(at, 2)
  }

  clear(): void {
    this.#entries = undefined
  }

  #at(key: string): number {
    const entries = this.#entries
    if (entries === undefined) return -1
    for (let i = 0; i < entries.length; i += 2) if (entries[i] === key) return i
    return -1
  }
}
