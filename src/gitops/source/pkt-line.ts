// The lines of git's protocol: each begins with its length in four hexadecimal digits; some lengths are marks without a text.

const lengthDigits = 4

export const flushLine = '0000'

export const pktLine = (text: string): string =>
  `${(Buffer.byteLength(text) + lengthDigits).toString(16).padStart(lengthDigits, '0')}${text}`

/** One after another; undefined for a mark. Throws for what is none. */
export async function* readPktLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | undefined, void, void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of body) {
    let bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    while (bytes.length >= lengthDigits) {
      const length = lengthOf(bytes)
      if (length > bytes.length) break
      yield length <= lengthDigits ? undefined : bytes.subarray(lengthDigits, length)
      bytes = bytes.subarray(Math.max(length, lengthDigits))
    }
    rest = bytes
  }
  if (rest.length > 0) throw new Error('the answer broke off')
}

function lengthOf(bytes: Buffer): number {
  const digits = bytes.toString('latin1', 0, lengthDigits)
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
  // 0, 1 and 2 are marks; 4 is a line without a text.
  if (Number.isNaN(length) || length === 3) throw new Error('the answer is not in the protocol of git')
  return length
}
