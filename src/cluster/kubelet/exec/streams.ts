// Where commands read from and write to: input by lines or in whole, output as bytes.

export interface Output {
  write(bytes: Uint8Array | string): Promise<void>
}

export interface Input {
  /** The next line without its end; undefined at the end of the input. */
  line(): Promise<string | undefined>
  /** What is there next; undefined at the end. */
  chunk(): Promise<Uint8Array | undefined>
}

const mostLineBytes = 1024 * 1024

/** Input from whatever yields bytes. */
export class StreamInput implements Input {
  readonly #source: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(0x0a)
      if (end >= 0) {
        const text = this.#rest.toString('utf8', 0, end)
        this.#rest = this.#rest.subarray(end + 1)
        return text
      }
      const { done, value } = await this.#source.next()
      if (done !== true) {
        this.#rest = Buffer.concat([this.#rest, value])
        if (this.#rest.length > mostLineBytes && !value.includes(0x0a)) throw new Error('a line is too long')
        continue
      }
      if (this.#rest.length === 0) return undefined
      const text = this.#rest.toString('utf8')
      this.#rest = Buffer.alloc(0)
      return text
    }
  }

  async chunk(): Promise<Uint8Array | undefined> {
    if (this.#rest.length > 0) {
      const bytes = this.#rest
      this.#rest = Buffer.alloc(0)
      return bytes
    }
    const { done, value } = await this.#source.next()
    return done === true ? undefined : value
  }
}

/** Input that is known already. */
export function inputOf(bytes: Uint8Array): Input {
  return new StreamInput(
    (async function* () {
      if (bytes.length > 0) yield bytes
    })(),
  )
}

export async function readAll(input: Input, mostBytes = 16 * 1024 * 1024): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let size = 0
  for (;;) {
    const part = await input.chunk()
    if (part === undefined) return Buffer.concat(parts)
    size += part.length
    if (size > mostBytes) throw new Error('too much input')
    parts.push(part)
  }
}

/** Output that is kept. */
export class Kept implements Output {
  readonly #parts: Buffer[] = []
  #size = 0

  get bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }

  async write(bytes: Uint8Array | string): Promise<void> {
    const part = Buffer.from(bytes as string)
    this.#size += part.length
    if (this.#size > 16 * 1024 * 1024) throw new Error('too much output')
    this.#parts.push(part)
  }
}

export const discarded: Output = { write: async () => {} }
