// Whether a list has an element, by identity: how a list that changed a little is checked only where it changed.

/** The elements of a list. Asked for in the list's own order, each costs one comparison. */
export class Elements<T> {
  readonly #list: readonly T[]
  #next = 0
  #all: ReadonlySet<T> | undefined

  constructor(list: readonly T[]) {
    this.#list = list
  }

  has(element: T): boolean {
    if (this.#next < this.#list.length && this.#list[this.#next] === element) {
      this.#next++
      return true
    }
    this.#all ??= new Set(this.#list)
    return this.#all.has(element)
  }
}
