// What a terminal does between somebody's keys and a command: shows what is typed, hands on whole lines, lets lines be
// edited at their end, and makes ^C break off what runs.

import type { Input, Output } from './streams.ts'

const endOfInput = Symbol('^D')

export class Terminal implements Input, Output {
  readonly #show: (bytes: Uint8Array) => Promise<void>
  /** Lines that nobody has read yet. */
  readonly #lines: (string | typeof endOfInput)[] = []
  #typed = ''
  #closed = false
  #wake: (() => void) | undefined
  #foreground: AbortController | undefined
  #afterReturn = false

  constructor(keys: AsyncIterable<Uint8Array>, show: (bytes: Uint8Array) => Promise<void>) {
    this.#show = show
    void this.#listen(keys)
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1')
    const whole = text.replace(/\r?\n/g, '\r\n')
    await this.#show(typeof bytes === 'string' ? Buffer.from(whole, 'utf8') : Buffer.from(whole, 'latin1'))
  }

  async line(): Promise<string | undefined> {
    const next = await this.#next()
    return next?.replace(/\n$/, '')
  }

  async chunk(): Promise<Uint8Array | undefined> {
    const next = await this.#next()
    return next === undefined ? undefined : Buffer.from(next, 'utf8')
  }

  /** Runs something that ^C breaks off; answers its exit code. */
  async foreground(signal: AbortSignal, run: (signal: AbortSignal) => Promise<number>): Promise<number> {
    const own = new AbortController()
    this.#foreground = own
    try {
      return await run(AbortSignal.any([signal, own.signal]))
    } catch (error) {
      if (!own.signal.aborted) throw error
      return interrupted
    } finally {
      this.#foreground = undefined
    }
  }

  async #next(): Promise<string | undefined> {
    for (;;) {
      const first = this.#lines.shift()
      if (first !== undefined) return first === endOfInput ? undefined : first
      if (this.#closed) return undefined
      const own = this.#foreground?.signal
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      own?.throwIfAborted()
    }
  }

  async #listen(keys: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const bytes of keys) await this.#take(Buffer.from(bytes).toString('utf8'))
    } catch {
      // The client has gone; what reads finds the end of its input.
    }
    this.#closed = true
    this.#wakeUp()
  }

  async #take(text: string): Promise<void> {
    // Arrows and the like move nothing here.
    const plain = text.replaceAll(arrows, '')
    for (const key of plain) await this.#press(key)
  }

  async #press(key: string): Promise<void> {
    const follows = this.#afterReturn
    this.#afterReturn = key === '\r'
    if (key === '\n' && follows) return
    if (key === '\r' || key === '\n') {
      await this.write('\n')
      this.#hand(`${this.#typed}\n`)
    } else if (key === '\x03') {
      await this.write('^C\n')
      this.#typed = ''
      if (this.#foreground === undefined) this.#hand('\n')
      else {
        this.#foreground.abort(new Error('interrupted'))
        this.#wakeUp()
      }
    } else if (key === '\x04') this.#hand(this.#typed === '' ? endOfInput : this.#typed)
    else if (key === '\x7f' || key === '\b') {
      const kept = [...this.#typed].slice(0, -1).join('')
      if (kept !== this.#typed) await this.write('\b \b')
      this.#typed = kept
    } else if (key === '\x15') {
      await this.write('\b \b'.repeat([...this.#typed].length))
      this.#typed = ''
    } else if (key >= ' ' && this.#typed.length < mostTyped) {
      this.#typed += key
      await this.write(key)
    }
  }

  #hand(line: string | typeof endOfInput): void {
    this.#typed = ''
    if (this.#lines.length < mostLines) this.#lines.push(line)
    this.#wakeUp()
  }

  #wakeUp(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

const escapeKey = String.fromCharCode(27)
const arrows = new RegExp(`${escapeKey}(?:\\[[0-9;]*[A-Za-z~]|O[A-Z]|.)`, 'g')

/** 128 and the number of SIGINT. */
const interrupted = 130
const mostTyped = 4096
const mostLines = 1000
