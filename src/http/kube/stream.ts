// Answers without an end in sight: watches as lines of JSON, and logs. Events are serialised when the client has taken
// those before them, so a slow client makes nothing pile up here; one that takes nothing for too long is cut off, and
// finds its way back by its last revision.

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WatchStream } from '#api'
import { writeChunk } from './respond.ts'
import type { WireResponse } from './wire.ts'

const sliceMs = 4
const chunkBytes = 64 * 1024
/** A client that takes nothing for this long (real time) is cut off. */
export const stalledMs = 60_000

export async function writeWatch(response: WireResponse, events: WatchStream, limitMs: number): Promise<void> {
  response.statusCode = 200
  response.setHeader('content-type', 'application/json')
  response.flushHeaders()
  for await (const batch of events) {
    let text = ''
    let sliceEnd = performance.now() + sliceMs
    for (const event of batch) {
      text += `${JSON.stringify(event)}\n`
      const late = performance.now() > sliceEnd
      if (text.length < chunkBytes && !late) continue
      if (!(await writeChunk(response, text, response, limitMs))) return
      text = ''
      if (late) await nextTurn()
      sliceEnd = performance.now() + sliceMs
    }
    if (text !== '' && !(await writeChunk(response, text, response, limitMs))) return
  }
  response.end()
}

export async function writeBytes(
  response: WireResponse,
  body: { readonly contentType: string; readonly chunks: AsyncIterable<Uint8Array | string> },
  status: number,
): Promise<void> {
  response.statusCode = status
  response.setHeader('content-type', body.contentType)
  response.flushHeaders()
  for await (const chunk of body.chunks) if (!(await writeChunk(response, chunk))) return
  response.end()
}
