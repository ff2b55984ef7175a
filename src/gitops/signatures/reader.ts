// Reads numbers and parts of a byte string from its begin to its end, and never beyond it.

import { SignatureFault } from './fault.ts'

export class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  take(length: number): Buffer {
    if (length > this.left) throw new SignatureFault('it ends too early')
    const part = this.#bytes.subarray(this.#at, this.#at + length)
    this.#at += length
    return part
  }

  /** Big-endian, of one to four bytes. */
  number(length: number): number {
    return this.take(length).readUIntBE(0, length)
  }

  rest(): Buffer {
    return this.take(this.left)
  }
}

/** What stands between the lines BEGIN and END of a text, and is base64 there. Header lines and the checksum are skipped. */
export function dearmor(text: string, title: string): readonly Buffer[] {
  const blocks: Buffer[] = []
  let body: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === `-----BEGIN ${title}-----`) body = []
    else if (line.trim() === `-----END ${title}-----`) {
      if (body !== undefined) blocks.push(Buffer.from(body.join(''), 'base64'))
      body = undefined
    } else if (line.trim() !== '' && !line.includes(':') && !line.startsWith('=')) body?.push(line.trim())
  }
  return blocks
}
