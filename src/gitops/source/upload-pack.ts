// Asking a git server for a pack (protocol version 0, all in one request), and taking it out of the answer.

import { flushLine, pktLine, readPktLines } from './pkt-line.ts'
import type { ShallowChange } from './shallow.ts'
import { SourceError } from './source-error.ts'

export interface PackWish {
  readonly wants: readonly string[]
  /** What is here already, with all that it leads to. */
  readonly haves: readonly string[]
  /** Where what is here ends, without its parents. */
  readonly shallow: readonly string[]
  /** How many commits of each history; undefined: all that lead to what is here. */
  readonly deepen: number | undefined
}

/** A server that knows fewer sends more than is needed. */
const maxHaves = 2000
const maxShallow = 1_000_000
const wanted = ['multi_ack_detailed', 'side-band-64k', 'ofs-delta']

/** No thin packs: each stands for itself. */
export function packRequest({ wants, haves, shallow, deepen }: PackWish, capabilities: ReadonlySet<string>): Buffer {
  if (!capabilities.has('side-band-64k'))
    throw new SourceError('Unsupported', 'the server speaks a protocol of git that is too old (no side-band-64k)')
  const isShallow = shallow.length > 0 || deepen !== undefined
  if (isShallow && !capabilities.has('shallow'))
    throw new SourceError('Unsupported', 'the server gives out whole histories only: leave `depth` out')
  const asked = [...wanted.filter((name) => capabilities.has(name)), 'agent=homeostat'].join(' ')
  const lines = wants.map((id, place) => pktLine(`want ${id}${place === 0 ? ` ${asked}` : ''}\n`))
  const ends = shallow.map((id) => pktLine(`shallow ${id}\n`))
  const depth = deepen === undefined ? [] : [pktLine(`deepen ${deepen}\n`)]
  const known = haves.slice(0, maxHaves).map((id) => pktLine(`have ${id}\n`))
  return Buffer.from([...lines, ...ends, ...depth, flushLine, ...known, pktLine('done\n')].join(''))
}

const packBand = 1
const progressBand = 2
const errorBand = 3

const endOfHistory = /^(shallow|unshallow) ([0-9a-f]{40})\n?$/

/** Hands the pack on as it comes, and answers where history ends now. Throws when the server says that it cannot, or breaks off. */
export async function receivePack(
  body: AsyncIterable<Uint8Array>,
  take: (bytes: Buffer) => Promise<void>,
): Promise<ShallowChange> {
  const change = { shallow: [] as string[], unshallow: [] as string[] }
  let isWhole = false
  for await (const line of readPktLines(body)) {
    isWhole = line === undefined
    if (line === undefined) continue
    const band = line[0]
    if (band === packBand) await take(line.subarray(1))
    else if (band === errorBand) throw new Error(`the server says: ${line.toString('utf8', 1).trim()}`)
    else if (line.subarray(0, 4).toString() === 'ERR ')
      throw new Error(`the server says: ${line.toString('utf8', 4).trim()}`)
    else if (band !== progressBand) noteEnd(line, change)
    // Else it agrees on what is here (ACK, NAK), or tells of progress.
  }
  if (!isWhole) throw new Error('the answer broke off')
  return change
}

function noteEnd(
  line: Buffer,
  { shallow, unshallow }: { readonly shallow: string[]; readonly unshallow: string[] },
): void {
  const [, word, id] = endOfHistory.exec(line.toString('latin1', 0, 64)) ?? []
  if (id === undefined) return
  if (shallow.length + unshallow.length >= maxShallow)
    throw new SourceError('TooLarge', `the server tells more than ${maxShallow} ends of history`)
  if (word === 'shallow') shallow.push(id)
  else unshallow.push(id)
}
