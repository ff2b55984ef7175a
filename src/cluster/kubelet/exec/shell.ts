// The shell of simulated containers: lists, pipes, redirections and variables over the commands that it knows. Nothing is
// run outside of this process.

import { posix } from 'node:path'
import { matchesGlob } from '#objects'
import { isShell, nameOf, programOf } from './commands.ts'
import { type Pipeline, parse, type Simple, SyntaxFault, type Word } from './parse.ts'
import { complain, Exit, type Process, resolved } from './process.ts'
import { discarded, inputOf, Kept, type Output } from './streams.ts'

/** What a shell is given: a process without words of its own. */
export type Shell = Omit<Process, 'args'>

/** How deep shells may call one another. */
const mostDepth = 20

/** Runs `sh`, `sh -c TEXT` or `sh FILE`. */
export async function runShell(process: Process, depth = 0): Promise<number> {
  const [name = 'sh', ...words] = process.args
  if (depth > mostDepth) return complain(process, 'too many shells in one another')
  while (/^-[a-z]+$/.test(words[0] ?? '') && !(words[0] ?? '').includes('c')) words.shift()
  const state = { ...process.state, env: new Map(process.state.env) }
  const shell: Shell = { ...process, state }
  const asked = words[0]?.startsWith('-')
  if (asked === true) {
    if (words[1] === undefined) return complain(process, '-c requires an argument', 2)
    return untilExit(() => runText(shell, words[1] ?? '', { name, depth }))
  }
  if (words[0] !== undefined) {
    const script = process.around.files.read(resolved(process, words[0]))
    if (script === undefined) return complain(process, `can't open '${words[0]}': No such file or directory`, 2)
    return untilExit(() => runText(shell, script.toString('utf8'), { name, depth }))
  }
  return untilExit(() => readLines(shell, { name, depth }))
}

/** Reads lines and runs them, with a prompt where somebody types them. */
async function readLines(shell: Shell, level: Level): Promise<number> {
  const { state, terminal, stdin, signal } = shell
  for (;;) {
    if (terminal !== undefined) await terminal.write(promptOf(shell, level))
    const line = await stdin.line()
    if (line === undefined) {
      if (terminal !== undefined) await terminal.write(nameOf(level.name) === 'bash' ? 'exit\n' : '\n')
      return state.lastCode
    }
    if (terminal === undefined) await runText(shell, line, level)
    else state.lastCode = await terminal.foreground(signal, (own) => runText({ ...shell, signal: own }, line, level))
  }
}

function promptOf({ around, state }: Shell, { name }: Level): string {
  const sign = around.user.uid === 0 ? '#' : '$'
  return nameOf(name) === 'bash'
    ? `${around.user.name}@${around.hostname}:${state.cwd}${sign} `
    : `${state.cwd} ${sign} `
}

export async function untilExit(run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Exit) return error.code
    throw error
  }
}

export interface Level {
  readonly name: string
  readonly depth: number
}

/** Runs a line or a script; what it changes stays in the shell's state. */
export async function runText(shell: Shell, text: string, level: Level): Promise<number> {
  const { state } = shell
  let pipelines: readonly Pipeline[]
  try {
    pipelines = parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    await shell.stderr.write(`${level.name}: ${error.message}\n`)
    state.lastCode = 2
    return 2
  }
  for (const { commands, when, negated } of pipelines) {
    if (when === 'success' ? state.lastCode !== 0 : when === 'failure' && state.lastCode === 0) continue
    let input = shell.stdin
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1
      const kept = new Kept()
      // Each part of a pipe is a shell of its own.
      const own = commands.length === 1 ? state : { ...state, env: new Map(state.env) }
      const part = { ...shell, state: own, stdin: input, stdout: isLast ? shell.stdout : kept }
      const run = (): Promise<number> => runSimple(part, command, level)
      state.lastCode = commands.length === 1 ? await run() : await untilExit(run)
      input = inputOf(kept.bytes)
    }
    if (negated) state.lastCode = state.lastCode === 0 ? 1 : 0
  }
  return state.lastCode
}

async function runSimple(shell: Shell, { words, redirections }: Simple, level: Level): Promise<number> {
  const args: string[] = []
  const assigned: (readonly [string, string])[] = []
  for (const word of words) {
    const first = word[0]
    const match =
      args.length === 0 && first?.kind === 'text' && !first.quoted ? /^([A-Za-z_]\w*)=/.exec(first.text) : null
    if (match === null || first?.kind !== 'text') args.push(...(await expanded(shell, word, level)))
    else {
      const rest: Word = [{ ...first, text: first.text.slice(match[0].length) }, ...word.slice(1)]
      assigned.push([match[1] ?? '', await joined(shell, rest, level)])
    }
  }
  const { streams, finish, fault } = await redirected(shell, redirections, level)
  if (fault !== undefined) {
    await shell.stderr.write(`${level.name}: ${fault}\n`)
    return 1
  }
  if (args.length === 0) {
    for (const [name, value] of assigned) shell.state.env.set(name, value)
    return 0
  }
  const env = assigned.length === 0 ? shell.state.env : new Map([...shell.state.env, ...assigned])
  const state = env === shell.state.env ? shell.state : { ...shell.state, env }
  const code = await runWords({ ...shell, ...streams, state, args }, level)
  const late = finish()
  if (late !== undefined) await shell.stderr.write(`${level.name}: ${late}\n`)
  return late === undefined ? code : 1
}

async function runWords(process: Process, level: Level): Promise<number> {
  const [name = ''] = process.args
  process.signal.throwIfAborted()
  const builtIn = Object.hasOwn(builtIns, name) ? builtIns[name] : undefined
  if (builtIn !== undefined) return builtIn(process, level)
  if (isShell(name)) return runShell(process, level.depth + 1)
  const program = programOf(name)
  if (program !== undefined) return program(process)
  if (name.includes('/') && process.around.files.isFolder(resolved(process, name))) {
    await process.stderr.write(`${level.name}: ${name}: Permission denied\n`)
    return 126
  }
  await process.stderr.write(`${level.name}: ${name}: not found\n`)
  return 127
}

type BuiltIn = (process: Process, level: Level) => Promise<number>

const builtIns: Readonly<Record<string, BuiltIn>> = {
  ':': async () => 0,
  cd: async (process) => {
    const [, to = process.state.env.get('HOME') ?? '/'] = process.args
    const path = resolved(process, to)
    if (!process.around.files.isFolder(path))
      return complain(process, `can't cd to ${to}: No such file or directory`, 2)
    process.state.cwd = path
    return 0
  },
  exec: (process, level) => {
    const args = process.args.slice(1)
    if (args.length === 0) return Promise.resolve(0)
    return runWords({ ...process, args }, level).then((code) => {
      throw new Exit(code)
    })
  },
  exit: async ({ args, state }) => {
    throw new Exit(Number(args[1] ?? state.lastCode) & 255)
  },
  export: async ({ args, state }) => {
    for (const word of args.slice(1)) {
      const at = word.indexOf('=')
      if (at > 0) state.env.set(word.slice(0, at), word.slice(at + 1))
    }
    return 0
  },
  set: async () => 0,
  unset: async ({ args, state }) => {
    for (const name of args.slice(1)) state.env.delete(name)
    return 0
  },
}

export const isBuiltIn = (name: string): boolean => Object.hasOwn(builtIns, name)

interface Redirected {
  readonly streams: Partial<Pick<Process, 'stdin' | 'stdout' | 'stderr'>>
  /** Writes what was collected for files; answers why that cannot be done. */
  readonly finish: () => string | undefined
  readonly fault?: string
}

async function redirected(shell: Shell, list: Simple['redirections'], level: Level): Promise<Redirected> {
  const streams = { stdin: shell.stdin, stdout: shell.stdout, stderr: shell.stderr }
  const writes: (() => string | undefined)[] = []
  const { files } = shell.around
  for (const { fd, how, to } of list) {
    const target = await joined(shell, to, level)
    const path = resolved(shell, target)
    if (how === 'read') {
      const content = target === '/dev/null' ? Buffer.alloc(0) : files.read(path)
      if (content === undefined)
        return { streams, finish: () => undefined, fault: `can't open ${target}: no such file` }
      streams.stdin = inputOf(content)
      continue
    }
    let output: Output
    if (how === 'copy') output = target === '2' ? streams.stderr : streams.stdout
    else if (target === '/dev/null') output = discarded
    else if (target === '/dev/stderr') output = streams.stderr
    else if (target === '/dev/stdout') output = streams.stdout
    else {
      const before = how === 'append' ? (files.read(path) ?? Buffer.alloc(0)) : Buffer.alloc(0)
      const fault = files.write(path, before)
      if (fault !== undefined) return { streams, finish: () => undefined, fault: `can't create ${target}: ${fault}` }
      const kept = new Kept()
      output = kept
      writes.push(() => {
        const late = files.write(path, Buffer.concat([before, kept.bytes]))
        return late === undefined ? undefined : `write error: ${late}`
      })
    }
    if (fd === 2) streams.stderr = output
    else streams.stdout = output
  }
  return { streams, finish: () => writes.map((write) => write()).find((fault) => fault !== undefined) }
}

/** The words that one becomes: unquoted expansions are divided at blanks, globs are filled in. */
async function expanded(shell: Shell, word: Word, level: Level): Promise<readonly string[]> {
  const words: string[] = []
  let text = ''
  let has = false
  let hasGlob = false
  for (const segment of word) {
    const value = await valueIn(shell, segment, level)
    if (segment.quoted) {
      text += value
      has = true
    } else if (segment.kind === 'text') {
      text += value
      has = true
      if (/[*?]/.test(value)) hasGlob = true
    } else {
      const [first = '', ...more] = value.split(/[ \t\n]+/)
      text += first
      has ||= first !== ''
      for (const next of more) {
        if (has) words.push(text)
        text = next
        has = next !== ''
      }
    }
  }
  if (has) words.push(text)
  return hasGlob ? words.flatMap((one) => globbed(shell, one)) : words
}

function globbed(shell: Shell, pattern: string): readonly string[] {
  // With more stars a name could be split among them in too many ways.
  if (!/[*?]/.test(pattern) || /(\*[^*/]*){4}/.test(pattern)) return [pattern]
  const parts = pattern.split('/')
  let found: readonly string[] = [pattern.startsWith('/') ? '/' : '']
  for (const part of parts.filter((one) => one !== '')) {
    found = found.flatMap((folder) => {
      if (!/[*?]/.test(part)) return [posix.join(folder, part)]
      const names = shell.around.files.list(resolved(shell, folder === '' ? '.' : folder)) ?? []
      return names
        .filter((name) => !name.startsWith('.') && matchesGlob(part, name))
        .map((name) => posix.join(folder, name))
    })
  }
  const there = found.filter((path) => shell.around.files.exists(resolved(shell, path)))
  return there.length === 0 ? [pattern] : there
}

async function joined(shell: Shell, word: Word, level: Level): Promise<string> {
  let text = ''
  for (const segment of word) text += await valueIn(shell, segment, level)
  return text
}

async function valueIn(shell: Shell, segment: Word[number], level: Level): Promise<string> {
  if (segment.kind === 'text') return segment.text
  if (segment.kind === 'variable') {
    const { name, fallback } = segment
    const special: Readonly<Record<string, string>> = {
      '?': String(shell.state.lastCode),
      $: '1',
      '#': '0',
      '0': level.name,
      PWD: shell.state.cwd,
    }
    const value = special[name] ?? shell.state.env.get(name)
    return fallback !== undefined && (value ?? '') === '' ? fallback : (value ?? '')
  }
  if (level.depth > mostDepth) return ''
  const kept = new Kept()
  const state = { ...shell.state, env: new Map(shell.state.env) }
  const inner = { ...level, depth: level.depth + 1 }
  shell.state.lastCode = await untilExit(() => runText({ ...shell, state, stdout: kept }, segment.text, inner))
  return kept.bytes.toString('utf8').replace(/\n+$/, '')
}
