// Bytes that arrive on their own and are read by somebody who waits for them; tells the sender when too many wait.

export interface Pressure {
  readonly full: () => void
  readonly empty: () => void
}

const mostWaiting = 1024 * 1024

export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #pressure: Pressure
  #parts: Uint8Array[] = []
  #size = 0
  #ended = false
  #wake: (() => void) | undefined

  constructor(pressure: Pressure) {
    this.#pressure = pressure
  }

  push(bytes: Uint8Array): void {
    if (this.#ended || bytes.length === 0) return
    this.#parts.push(bytes)
    this.#size += bytes.length
    if (this.#size > mostWaiting) this.#pressure.full()
    this.#wakeUp()
  }

  end(): void {
    this.#ended = true
    this.#wakeUp()
  }

  /** Nobody reads any more: what waits is dropped, and no sender is held up by it. */
  discard(): void {
    const wasFull = this.#size > mostWaiting
    this.#parts = []
    this.#size = 0
    this.end()
    if (wasFull) this.#pressure.empty()
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for (;;) {
      const parts = this.#parts
      if (parts.length > 0) {
        const wasFull = this.#size > mostWaiting
        this.#parts = []
        this.#size = 0
        if (wasFull) this.#pressure.empty()
        yield* parts
      } else if (this.#ended) return
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }

  #wakeUp(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}
