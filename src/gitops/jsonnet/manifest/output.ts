// A text that grows by parts, up to the limit that texts have.

import { budget, checkTextLength } from '../budget.ts'

export class Output {
  readonly #parts: string[] = []
  #length = 0

  write(text: string): void {
    this.#parts.push(text)
    this.#length += text.length
    checkTextLength(this.#length, text.length)
    budget.spend(1)
  }

  toString(): string {
    return this.#parts.join('')
  }
}
