// The body of manifestsWithFiles: a stream of JSON messages, a line each. The first is the question, with the SHA-256 of what
// follows; the others are pieces of a tar.gz. All of it is bounded before it is kept.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { z } from 'zod'
import type { GivenFile } from '#gitops/source'
import { checked } from '../body.ts'
import { RestError } from '../rest-error.ts'
import { readTar, TarFault } from './tar.ts'

const query = z.object({
  query: z.object({
    name: z.string().min(1),
    checksum: z.string().regex(/^[0-9a-f]{64}$/i, 'a SHA-256 in hexadecimal digits is expected'),
    appNamespace: z.string().nullish(),
    project: z.string().nullish(),
  }),
})
export type FilesQuery = z.output<typeof query>['query']

const chunk = z.object({ chunk: z.object({ chunk: z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, 'base64 is expected') }) })

const maxLineBytes = 4 * 1024 * 1024
const maxArchiveBytes = 32 * 1024 * 1024
const maxUnpackedBytes = 128 * 1024 * 1024
const megabytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`

const refused = (message: string): RestError => new RestError('invalidArgument', message)

/** Messages as they come: the question first. */
export class FilesMessage {
  readonly #lines: AsyncIterator<string>

  constructor(body: AsyncIterable<Buffer>) {
    this.#lines = linesOf(body)
  }

  /** Throws RestError. */
  async query(): Promise<FilesQuery> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw refused('error getting stream query: query is nil')
    return checked(query, parse(value)).query
  }

  /** The archive, if it is what the question said it would be. Throws RestError. */
  async archive({ checksum }: FilesQuery): Promise<Buffer> {
    const pieces: Buffer[] = []
    let size = 0
    for (let next = await this.#lines.next(); next.done !== true; next = await this.#lines.next()) {
      const piece = Buffer.from(checked(chunk, parse(next.value)).chunk.chunk, 'base64')
      size += piece.length
      if (size > maxArchiveBytes) throw refused(`the archive is larger than ${megabytes(maxArchiveBytes)}`)
      pieces.push(piece)
    }
    const archive = Buffer.concat(pieces)
    const digest = createHash('sha256').update(archive).digest('hex')
    if (digest !== checksum.toLowerCase())
      throw refused(`file checksum validation error: the archive has ${digest}, ${checksum} was announced`)
    return archive
  }
}

/** What is in a tar.gz. Throws RestError. */
export async function unpack(archive: Buffer): Promise<readonly GivenFile[]> {
  try {
    return readTar(await promisify(gunzip)(archive, { maxOutputLength: maxUnpackedBytes }))
  } catch (error) {
    if (error instanceof TarFault) throw refused(error.message)
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE')
      throw refused(`the archive unpacks to more than ${megabytes(maxUnpackedBytes)}`)
    if (code.startsWith('Z_')) throw refused(`the archive is no tar.gz: ${message}`)
    throw error
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  let kept = 0
  for await (const data of body) {
    let from = 0
    for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a, from)) {
      const line = Buffer.concat([...rest, data.subarray(from, end)]).toString('utf8')
      from = end + 1
      rest = []
      kept = 0
      if (line.trim() !== '') yield line
    }
    rest.push(data.subarray(from))
    kept += data.length - from
    if (kept > maxLineBytes) throw refused(`a message is larger than ${megabytes(maxLineBytes)}`)
  }
  const line = Buffer.concat(rest).toString('utf8')
  if (line.trim() !== '') yield line
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    throw refused(`a line of the body is no JSON: ${(error as Error).message}`)
  }
}
