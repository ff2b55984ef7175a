// A document of OpenAPI v2 in gnostic's protobuf, part by part. A section is preceded by its length, so its entries are
// written before it is.

import type { JsonObject } from '#objects'
import { encodeEntry, encodeHead, encodeTail, framed, type Section } from './gnostic.ts'
import type { Document } from './made-once.ts'

export { gnosticContentType } from './gnostic.ts'

const none = Buffer.alloc(0)

export function* gnosticParts({ head, sections, tail }: Document): Generator<Uint8Array> {
  yield encodeHead(head as JsonObject)
  for (const { name, entries } of sections) {
    const section = name as Section
    const written: Buffer[] = []
    let length = 0
    for (const [key, value] of entries()) {
      const entry = encodeEntry(section, key, value as JsonObject)
      written.push(entry)
      length += entry.length
      // Nothing can be sent yet, but others may run.
      yield none
    }
    yield framed(section, length)
    yield* written
  }
  yield encodeTail(tail as JsonObject)
}
