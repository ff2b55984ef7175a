// What gets an informer out of what it waits in: the watch that is open is cut, or its rest ended.

export class Interruption {
  #watch: AbortController | undefined
  #wakeUp: (() => void) | undefined

  /** For the watch that begins. */
  opened(): AbortController {
    this.#watch = new AbortController()
    return this.#watch
  }

  cut(): void {
    this.#watch?.abort()
  }

  wake(): void {
    this.#wakeUp?.()
  }

  /** Whatever it is that is waited in. */
  interrupt(): void {
    this.cut()
    this.wake()
  }

  /** Resolves with the next `wake`. */
  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve
    })
  }
}
