// Asking a git server for a pack (protocol version 0, all in one request), and taking it out of the answer.

import { flushLine, pktLine, readPktLines } from './pkt-line.ts'
import { SourceError } from './source-error.ts'

export interface PackWish {
  readonly wants: readonly string[]
  /** What is here already, with all that it leads to. */
  readonly haves: readonly string[]
}

/** A server that knows fewer sends more than is needed. */
const maxHaves = 2000
const wanted = ['multi_ack_detailed', 'side-band-64k', 'ofs-delta']

/** No thin packs: each stands for itself. */
export function packRequest({ wants, haves }: PackWish, capabilities: ReadonlySet<string>): Buffer {
  if (!capabilities.has('side-band-64k'))
    throw new SourceError('Unsupported', 'the server speaks a protocol of git that is too old (no side-band-64k)')
  const asked = [...wanted.filter((name) => capabilities.has(name)), 'agent=homeostat'].join(' ')
  const lines = wants.map((id, place) => pktLine(`want ${id}${place === 0 ? ` ${asked}` : ''}\n`))
  const known = haves.slice(0, maxHaves).map((id) => pktLine(`have ${id}\n`))
  return Buffer.from([...lines, flushLine, ...known, pktLine('done\n')].join(''))
}

const packBand = 1
const errorBand = 3

/** Hands the pack on as it comes. Throws when the server says that it cannot, or breaks off. */
export async function receivePack(
  body: AsyncIterable<Uint8Array>,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  let isWhole = false
  for await (const line of readPktLines(body)) {
    isWhole = line === undefined
    if (line === undefined) continue
    const band = line[0]
    if (band === packBand) await take(line.subarray(1))
    else if (band === errorBand) throw new Error(`the server says: ${line.toString('utf8', 1).trim()}`)
    else if (line.subarray(0, 4).toString() === 'ERR ')
      throw new Error(`the server says: ${line.toString('utf8', 4).trim()}`)
    // Else it agrees on what is here (ACK, NAK), or tells of progress.
  }
  if (!isWhole) throw new Error('the answer broke off')
}
