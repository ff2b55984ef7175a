// tar, as `kubectl cp` calls it: archives in ustar format to the output, and from the input.

import { posix } from 'node:path'
import { complain, type Process, resolved } from './process.ts'
import { readAll } from './streams.ts'

export async function tar(process: Process): Promise<number> {
  const { mode, folder, names } = wordsOf(process.args.slice(1))
  if (mode === 'create') return create(process, folder, names)
  if (mode === 'extract') return extract(process, folder)
  return complain(process, "must specify one of -c, -x; archives go to '-' only")
}

interface Words {
  readonly mode: 'create' | 'extract' | undefined
  readonly folder: string
  readonly names: readonly string[]
}

function wordsOf(words: readonly string[]): Words {
  let mode: Words['mode']
  let folder = '.'
  const names: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word.startsWith('--')) continue
    const flags = word.startsWith('-') && word !== '-' ? word.slice(1) : at === 0 ? word : undefined
    if (flags === undefined) {
      names.push(word)
      continue
    }
    if (flags.includes('c')) mode = 'create'
    if (flags.includes('x')) mode = 'extract'
    if (flags.includes('f') && words[at + 1] === '-') at += 1
    if (flags.includes('C')) folder = words[++at] ?? '.'
  }
  return { mode, folder, names }
}

const block = 512

async function create(process: Process, folder: string, names: readonly string[]): Promise<number> {
  const { files } = process.around
  let code = 0
  const add = async (path: string, name: string): Promise<void> => {
    const content = files.read(path)
    if (content !== undefined) {
      await process.stdout.write(headerOf(process, name, content.length, '0'))
      await process.stdout.write(Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]))
      return
    }
    await process.stdout.write(headerOf(process, `${name}/`, 0, '5'))
    for (const child of files.list(path) ?? []) await add(posix.join(path, child), `${name}/${child}`)
  }
  for (const name of names) {
    const path = resolved(process, posix.resolve(resolved(process, folder), name))
    if (!files.exists(path)) {
      await complain(process, `${name}: Cannot stat: No such file or directory`)
      code = 2
    } else {
      if (name.startsWith('/')) await complain(process, "Removing leading `/' from member names")
      await add(path, name.replace(/^\/+/, '').replace(/\/+$/, '') || '.')
    }
  }
  await process.stdout.write(Buffer.alloc(2 * block))
  return code
}

function headerOf({ around }: Process, name: string, size: number, type: '0' | '5'): Buffer {
  const header = Buffer.alloc(block)
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`
  const [last, prefix] = splitName(name)
  header.write(last, 0)
  header.write(octal(type === '5' ? 0o755 : 0o644, 8), 100)
  header.write(octal(around.user.uid, 8), 108)
  header.write(octal(around.user.gid, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(Math.floor(around.now() / 1000), 12), 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Names of more than 100 bytes are divided at a slash. */
function splitName(name: string): readonly [last: string, prefix: string] {
  if (Buffer.byteLength(name) <= 100) return [name, '']
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1))
    if (Buffer.byteLength(name.slice(at + 1)) <= 100) return [name.slice(at + 1), name.slice(0, at)]
  return [name.slice(-100), '']
}

async function extract(process: Process, folder: string): Promise<number> {
  const { files } = process.around
  const into = resolved(process, folder)
  if (!files.isFolder(into)) return complain(process, `${folder}: Cannot open: No such file or directory`, 2)
  const archive = await readAll(process.stdin)
  let code = 0
  for (let at = 0; at + block <= archive.length && archive[at] !== 0; ) {
    const { name, size, type } = entryAt(archive, at)
    const content = archive.subarray(at + block, at + block + size)
    at += block + Math.ceil(size / block) * block
    const path = posix.resolve(into, name.replace(/^\/+/, ''))
    if (path !== into && !path.startsWith(into === '/' ? '/' : `${into}/`)) continue
    const fault = place(process, path, type === '5' ? undefined : content)
    if (fault !== undefined) {
      await complain(process, `${name}: Cannot open: ${fault}`)
      code = 2
    }
  }
  return code

  function place({ around }: Process, path: string, content: Buffer | undefined): string | undefined {
    for (let at = path.indexOf('/', 1); at > 0; at = path.indexOf('/', at + 1)) {
      const parent = path.slice(0, at)
      const fault = around.files.isFolder(parent) ? undefined : around.files.makeFolder(parent)
      if (fault !== undefined) return fault
    }
    if (content !== undefined) return around.files.write(path, Buffer.from(content))
    return around.files.isFolder(path) ? undefined : around.files.makeFolder(path)
  }
}

function entryAt(archive: Buffer, at: number): { readonly name: string; readonly size: number; readonly type: string } {
  const text = (from: number, length: number): string =>
    archive.toString('utf8', at + from, at + from + length).split('\0')[0] ?? ''
  const prefix = text(345, 155)
  const name = text(0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: Number.parseInt(text(124, 12).trim() || '0', 8) || 0,
    type: text(156, 1),
  }
}
