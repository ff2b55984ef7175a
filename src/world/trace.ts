// The fingerprint of a run: a 53-bit hash over every task's time and name, in order. Two runs are the same exactly when
// their tasks were (up to hash collisions).

export class Trace {
  #a = 0xdeadbeef | 0
  #b = 0x41c6ce57 | 0
  #tasks = 0

  /** How many tasks have run. */
  get tasks(): number {
    return this.#tasks
  }

  add(at: number, name: string): void {
    this.#tasks += 1
    let a = Math.imul(this.#a ^ (at | 0), 2654435761)
    let b = Math.imul(this.#b ^ ((at / 0x1_0000_0000) | 0), 1597334677)
    for (let i = 0; i < name.length; i += 1) {
      const c = name.charCodeAt(i)
      a = Math.imul(a ^ c, 2654435761)
      b = Math.imul(b ^ c, 1597334677)
    }
    this.#a = (a >>> 15) ^ a
    this.#b = (b >>> 13) ^ b
  }

  hash(): string {
    let a = Math.imul(this.#a ^ (this.#a >>> 16), 2246822507) ^ Math.imul(this.#b ^ (this.#b >>> 13), 3266489909)
    let b = Math.imul(this.#b ^ (this.#b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
    a >>>= 0
    b >>>= 0
    return `${a.toString(16).padStart(8, '0')}${b.toString(16).padStart(8, '0')}`
  }
}
