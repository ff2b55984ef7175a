// Reads a tar archive that somebody sent: files and links, with the long names of POSIX (pax) and of GNU. Nothing of it is
// written to disk. Whatever an archive may hold beside files, folders and links is refused, and so are paths that lead out.

import { type GivenFile, maxFileBytes, maxListedFiles } from '#gitops/source'

export class TarFault extends Error {
  override readonly name = 'TarFault'
}

const block = 512

/** Throws TarFault. */
export function readTar(archive: Buffer): readonly GivenFile[] {
  const files: GivenFile[] = []
  let long: LongNames = {}
  for (let at = 0; at + block <= archive.length; ) {
    const header = archive.subarray(at, at + block)
    // Two empty blocks end it; what follows is padding.
    if (header.every((byte) => byte === 0)) return files
    const entry = readHeader(header)
    const size = long.size ?? entry.size
    const body = archive.subarray(at + block, at + block + size)
    if (body.length < size) throw new TarFault('the archive ends in the middle of a file')
    at += block + Math.ceil(size / block) * block
    if (isAboutNext(entry.type)) {
      long = { ...long, ...longNames(entry.type, body) }
      continue
    }
    const file = toFile({ ...entry, path: long.path ?? entry.path, target: long.target ?? entry.target }, body)
    long = {}
    if (file !== undefined) files.push(file)
    if (files.length > maxListedFiles) throw new TarFault(`the archive has more than ${maxListedFiles} files`)
  }
  return files
}

interface Entry {
  readonly type: string
  readonly path: string
  readonly target: string
  readonly size: number
  readonly mode: number
}

interface LongNames {
  readonly path?: string
  readonly target?: string
  readonly size?: number
}

function readHeader(header: Buffer): Entry {
  const text = (from: number, length: number): string => untilZero(header.subarray(from, from + length))
  if (checksumOf(header) !== octal(text(148, 8))) throw new TarFault('a header of the archive has a wrong checksum')
  const prefix = text(257, 6).startsWith('ustar') && header[263] === 0x30 ? text(345, 155) : ''
  const name = text(0, 100)
  return {
    type: String.fromCharCode(header[156] || 0x30),
    path: prefix === '' ? name : `${prefix}/${name}`,
    target: text(157, 100),
    size: sizeIn(header.subarray(124, 136)),
    mode: octal(text(100, 8)),
  }
}

const untilZero = (bytes: Buffer): string => {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

/** The checksum field itself counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte
  return sum
}

function octal(text: string): number {
  const digits = text.trim()
  if (!/^[0-7]*$/.test(digits)) throw new TarFault(`a header of the archive has ${JSON.stringify(digits)} for a number`)
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

/** In octal digits; GNU writes large ones in binary, which no file here can be. */
function sizeIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) throw tooLarge('a file')
  return octal(untilZero(field))
}

const tooLarge = (what: string): TarFault =>
  new TarFault(`${what} of the archive is larger than the limit of ${maxFileBytes} bytes`)

/** Headers that say more of the next one, or of all of them. */
const isAboutNext = (type: string): boolean => 'xgLK'.includes(type)

const maxLongNames = 1024 * 1024

function longNames(type: string, body: Buffer): LongNames {
  if (body.length > maxLongNames) throw new TarFault('the archive has a name of more than a megabyte')
  if (type === 'L') return { path: untilZero(body) }
  if (type === 'K') return { target: untilZero(body) }
  return type === 'g' ? {} : paxRecords(body)
}

/** `LENGTH KEY=VALUE\n`, one after the other; the length counts all of it, in bytes. */
function paxRecords(body: Buffer): LongNames {
  let found: LongNames = {}
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(body.toString('latin1', at, space))
    if (!Number.isInteger(length) || length <= space - at + 1 || at + length > body.length)
      throw new TarFault('the archive has a pax header that cannot be read')
    const record = body.toString('utf8', space + 1, at + length - 1)
    at += length
    const equals = record.indexOf('=')
    const [key, value] = [record.slice(0, equals), record.slice(equals + 1)]
    if (key === 'path') found = { ...found, path: value }
    else if (key === 'linkpath') found = { ...found, target: value }
    else if (key === 'size') found = { ...found, size: paxSize(value) }
  }
  return found
}

function paxSize(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new TarFault('the archive has a pax header that cannot be read')
  return Number(value)
}

/** Undefined for folders, which come with their files, and for what is in `.git`. */
function toFile({ type, path: name, target, mode }: Entry, body: Buffer): GivenFile | undefined {
  const steps = stepsOf(name)
  if (type === '5' || steps.length === 0 || steps.some((step) => step.toLowerCase() === '.git')) return undefined
  const path = steps.join('/')
  if (type === '2') return { path, target }
  // A hard link names its file from the root of the archive.
  if (type === '1') return { path, target: `${'../'.repeat(steps.length - 1)}${stepsOf(target).join('/')}` }
  if (type !== '0' && type !== '7')
    throw new TarFault(`${path} is neither a file, a folder nor a link (type ${JSON.stringify(type)})`)
  if (body.length > maxFileBytes) throw tooLarge(path)
  return { path, bytes: body, ...((mode & 0o100) === 0 ? {} : { executable: true as const }) }
}

function stepsOf(name: string): readonly string[] {
  const steps = name.split('/').filter((step) => step !== '' && step !== '.')
  if (name.startsWith('/') || steps.includes('..') || /[\\\0]/.test(name))
    throw new TarFault(`${JSON.stringify(name)} is no path within the archive`)
  return steps
}
