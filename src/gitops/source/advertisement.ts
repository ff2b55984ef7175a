// What a git server says first: the refs that it has, and what it can do.

import { readPktLines } from './pkt-line.ts'
import type { RefTable } from './refs.ts'
import { SourceError } from './source-error.ts'
import { isKeptRef } from './transport.ts'

export interface Advertisement {
  readonly table: RefTable
  readonly capabilities: ReadonlySet<string>
}

const maxRefs = 200_000

export async function readAdvertisement(body: AsyncIterable<Uint8Array>): Promise<Advertisement> {
  const refs = new Map<string, string>()
  let capabilities: ReadonlySet<string> = new Set()
  let head: string | undefined
  for await (const line of readPktLines(body)) {
    const text = line?.toString('utf8').replace(/\n$/, '') ?? ''
    if (text.startsWith('ERR ')) throw new Error(`the server says: ${text.slice(4)}`)
    const zero = text.indexOf('\0')
    if (zero >= 0) capabilities = new Set(text.slice(zero + 1).split(' '))
    const [id = '', name = ''] = (zero < 0 ? text : text.slice(0, zero)).split(' ')
    if (capabilities.has('object-format=sha256'))
      throw new SourceError('Unsupported', 'the repository uses SHA-256 object names, which are not supported')
    if (!/^[0-9a-f]{40}$/.test(id)) continue
    if (name === 'HEAD') head = id
    else if (isKeptRef(name)) refs.set(name, id)
    if (refs.size > maxRefs)
      throw new SourceError('TooLarge', `the repository has more than ${maxRefs} branches and tags`)
  }
  return { table: { head, refs }, capabilities }
}
