// Commands that print and filter text.

import { type Command, complain, flagsOf, type Process, resolved } from './process.ts'
import { readAll } from './streams.ts'

async function echo({ args, stdout }: Process): Promise<number> {
  const words = args.slice(1)
  let [newline, escapes] = [true, false]
  while (/^-[neE]+$/.test(words[0] ?? '')) {
    const flags = words.shift() ?? ''
    if (flags.includes('n')) newline = false
    if (flags.includes('e')) escapes = true
  }
  const text = words.join(' ')
  await stdout.write(`${escapes ? unescaped(text) : text}${newline ? '\n' : ''}`)
  return 0
}

const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', a: '\x07', e: '\x1b' }
const unescaped = (text: string): string =>
  text.replace(/\\(?:0([0-7]{1,3})|([0-7]{1,3})|(.))/g, (whole, zero?: string, octal?: string, letter = '') =>
    (zero ?? octal) === undefined
      ? (letters[letter] ?? whole)
      : String.fromCharCode(Number.parseInt(zero ?? octal ?? '', 8)),
  )

const mostColumns = 1000

async function printf(process: Process): Promise<number> {
  const [, format, ...values] = process.args
  if (format === undefined) return complain(process, 'missing operand', 2)
  do {
    const before = values.length
    const text = unescaped(format).replace(/%(-?\d*)(?:\.\d+)?([sdi%b])/g, (_whole, width: string, kind: string) => {
      if (kind === '%') return '%'
      const value = values.shift() ?? ''
      const shown = kind === 's' ? value : kind === 'b' ? unescaped(value) : String(Math.trunc(Number(value) || 0))
      const size = Math.min(Math.abs(Number(width)), mostColumns)
      return width.startsWith('-') ? shown.padEnd(size) : shown.padStart(size)
    })
    await process.stdout.write(text)
    if (values.length === before) break
  } while (values.length > 0)
  return 0
}

/** Calls `use` with the content of each file, or with the input; answers whether all were there. */
async function eachInput(
  process: Process,
  paths: readonly string[],
  use: (content: Buffer, path: string) => Promise<void>,
): Promise<boolean> {
  if (paths.length === 0) {
    await use(await readAll(process.stdin), '-')
    return true
  }
  let good = true
  for (const path of paths) {
    const content = path === '-' ? await readAll(process.stdin) : fileAt(process, path)
    if (typeof content !== 'string') await use(content, path)
    else {
      good = false
      await complain(process, content)
    }
  }
  return good
}

/** The content, or why there is none. */
function fileAt(process: Process, path: string): Buffer | string {
  const { files } = process.around
  const whole = resolved(process, path)
  const content = path.endsWith('/') ? undefined : files.read(whole)
  if (content !== undefined) return content
  return files.isFolder(whole) ? `${path}: Is a directory` : `${path}: No such file or directory`
}

async function cat(process: Process): Promise<number> {
  const { rest } = flagsOf(process.args)
  if (rest.length === 0) {
    // As it comes: somebody may be typing.
    for (;;) {
      const bytes = await process.stdin.chunk()
      if (bytes === undefined) return 0
      await process.stdout.write(bytes)
    }
  }
  return (await eachInput(process, rest, (content) => process.stdout.write(content))) ? 0 : 1
}

const linesOf = (content: Buffer): string[] => {
  const lines = content.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** `head` and `tail`: -n COUNT, -COUNT, -c COUNT; +COUNT counts from the begin. */
const part =
  (from: 'begin' | 'end'): Command =>
  async (process) => {
    const words = process.args.slice(1)
    const paths: string[] = []
    let [count, unit] = ['10', 'n']
    for (let at = 0; at < words.length; at += 1) {
      const match = /^-(?:([nc])(\+?\d*)|(\d+))$/.exec(words[at] ?? '')
      if (match === null) paths.push(words[at] ?? '')
      else {
        unit = match[1] ?? 'n'
        count = match[3] ?? (match[2] === '' ? (words[++at] ?? '') : (match[2] ?? ''))
      }
    }
    if (!/^\+?\d+$/.test(count)) return complain(process, `invalid number '${count}'`)
    const number = Number(count)
    const cut = <T>(all: { slice(begin: number, end?: number): T; readonly length: number }): T => {
      if (from === 'begin') return all.slice(0, number)
      return all.slice(count.startsWith('+') ? Math.max(0, number - 1) : Math.max(0, all.length - number))
    }
    const good = await eachInput(process, paths, async (content) => {
      if (unit === 'c') await process.stdout.write(cut<Buffer>(content))
      else for (const line of cut<string[]>(linesOf(content))) await process.stdout.write(`${line}\n`)
    })
    return good ? 0 : 1
  }

async function wc(process: Process): Promise<number> {
  const { flags, rest } = flagsOf(process.args)
  const good = await eachInput(process, rest, async (content, path) => {
    const text = content.toString('utf8')
    const all: readonly (readonly [string, number])[] = [
      ['l', text.split('\n').length - 1],
      ['w', text.split(/\s+/).filter((word) => word !== '').length],
      ['c', content.length],
    ]
    const shown = all.filter(([flag]) => flags.size === 0 || flags.has(flag)).map(([, count]) => count)
    const numbers = shown.length === 1 ? String(shown[0]) : shown.map((count) => String(count).padStart(7)).join(' ')
    await process.stdout.write(`${numbers}${path === '-' ? '' : ` ${path}`}\n`)
  })
  return good ? 0 : 1
}

async function grep(process: Process): Promise<number> {
  const { flags, rest } = flagsOf(process.args)
  const [pattern, ...paths] = rest
  if (pattern === undefined) return complain(process, 'missing pattern', 2)
  // Texts only: a pattern from outside is never run as a regular expression, except for its anchors.
  const fold = (text: string): string => (flags.has('i') ? text.toLowerCase() : text)
  const core = fold(pattern.replace(/^\^/, '').replace(/\$$/, ''))
  const matches = (line: string): boolean => {
    const text = fold(line)
    if (pattern.startsWith('^') && pattern.endsWith('$')) return text === core
    if (pattern.startsWith('^')) return text.startsWith(core)
    return pattern.endsWith('$') ? text.endsWith(core) : text.includes(core)
  }
  let found = 0
  const good = await eachInput(process, paths, async (content, path) => {
    const lines = linesOf(content).filter((line) => matches(line) !== flags.has('v'))
    found += lines.length
    if (flags.has('q')) return
    if (flags.has('c')) await process.stdout.write(`${lines.length}\n`)
    else for (const line of lines) await process.stdout.write(`${paths.length > 1 ? `${path}:` : ''}${line}\n`)
  })
  return good ? (found > 0 ? 0 : 1) : 2
}

async function sort(process: Process): Promise<number> {
  const { flags, rest } = flagsOf(process.args)
  const lines: string[] = []
  const good = await eachInput(process, rest, async (content) => {
    for (const line of linesOf(content)) lines.push(line)
  })
  lines.sort((a, b) => (flags.has('n') ? Number.parseFloat(a) - Number.parseFloat(b) : a < b ? -1 : a > b ? 1 : 0))
  if (flags.has('r')) lines.reverse()
  const shown = flags.has('u') ? [...new Set(lines)] : lines
  for (const line of shown) await process.stdout.write(`${line}\n`)
  return good ? 0 : 2
}

async function base64(process: Process): Promise<number> {
  const { flags, rest } = flagsOf(process.args)
  const good = await eachInput(process, flags.has('w') ? rest.slice(1) : rest, async (content) => {
    if (flags.has('d')) await process.stdout.write(Buffer.from(content.toString('utf8'), 'base64'))
    else {
      const text = content.toString('base64')
      await process.stdout.write(flags.has('w') ? text : `${text.replace(/(.{76})(?=.)/g, '$1\n')}\n`)
    }
  })
  return good ? 0 : 1
}

export const textPrograms: Readonly<Record<string, Command>> = {
  base64,
  cat,
  echo,
  grep,
  head: part('begin'),
  printf,
  sort,
  tail: part('end'),
  wc,
}
