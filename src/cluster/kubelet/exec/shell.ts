// The shell of simulated containers: lists, pipes, loops, redirections and variables over the commands that it knows. Nothing is
// run outside of this process.

import { nameOfUser } from '../containers/users.ts'
import { isShell, nameOf, programOf } from './commands.ts'
import { textOf, type WordView, wordsOf } from './expansion.ts'
import { Jump, jump, runLoop } from './loops.ts'
import { type Command, type List, parse, type Simple } from './parse.ts'
import { complain, Exit, type Process, resolved } from './process.ts'
import { redirected } from './redirection.ts'
import { inputOf, Kept } from './streams.ts'
import { SyntaxFault, type Word } from './words.ts'

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
    ? `${nameOfUser(around.user.uid)}@${around.hostname}:${state.cwd}${sign} `
    : `${state.cwd} ${sign} `
}

export async function untilExit(run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Exit) return error.code
    // Outside of a loop there is nothing to leave.
    if (error instanceof Jump) return 0
    throw error
  }
}

export interface Level {
  readonly name: string
  readonly depth: number
}

/** Runs a line or a script; what it changes stays in the shell's state. */
export async function runText(shell: Shell, text: string, level: Level): Promise<number> {
  let list: List
  try {
    list = parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    await shell.stderr.write(`${level.name}: ${error.message}\n`)
    shell.state.lastCode = 2
    return 2
  }
  return runList(shell, list, level)
}

async function runList(shell: Shell, list: List, level: Level): Promise<number> {
  const { state } = shell
  for (const { commands, when, negated } of list) {
    if (when === 'success' ? state.lastCode !== 0 : when === 'failure' && state.lastCode === 0) continue
    let input = shell.stdin
    for (const [index, command] of commands.entries()) {
      const isLast = index === commands.length - 1
      const kept = new Kept()
      // Each part of a pipe is a shell of its own.
      const own = commands.length === 1 ? state : { ...state, env: new Map(state.env) }
      const part = { ...shell, state: own, stdin: input, stdout: isLast ? shell.stdout : kept }
      const run = (): Promise<number> => runCommand(part, command, level)
      state.lastCode = commands.length === 1 ? await run() : await untilExit(run)
      input = inputOf(kept.bytes)
    }
    if (negated) state.lastCode = state.lastCode === 0 ? 1 : 0
  }
  return state.lastCode
}

async function runCommand(shell: Shell, command: Command, level: Level): Promise<number> {
  switch (command.kind) {
    case 'simple':
      return runSimple(shell, command, level)
    case 'group':
      return runList(shell, command.body, level)
    case 'if': {
      const holds = (await runList(shell, command.condition, level)) === 0
      shell.state.lastCode = 0
      return runList(shell, holds ? command.then : command.otherwise, level)
    }
    case 'for': {
      const words: string[] = []
      for (const word of command.words) words.push(...(await wordsOf(word, viewOf(shell, level))))
      return runLoop(
        shell,
        () => runList(shell, command.body, level),
        async () => {
          const next = words.shift()
          if (next !== undefined) shell.state.env.set(command.name, next)
          return next !== undefined
        },
      )
    }
    case 'while':
      return runLoop(
        shell,
        () => runList(shell, command.body, level),
        async () => {
          return ((await runList(shell, command.condition, level)) === 0) !== command.until
        },
      )
  }
}

async function runSimple(shell: Shell, { words, redirections }: Simple, level: Level): Promise<number> {
  const args: string[] = []
  const assigned: (readonly [string, string])[] = []
  for (const word of words) {
    const first = word[0]
    const match =
      args.length === 0 && first?.kind === 'text' && !first.quoted ? /^([A-Za-z_]\w*)=/.exec(first.text) : null
    if (match === null || first?.kind !== 'text') args.push(...(await wordsOf(word, viewOf(shell, level))))
    else {
      const rest: Word = [{ ...first, text: first.text.slice(match[0].length) }, ...word.slice(1)]
      assigned.push([match[1] ?? '', await textOf(rest, viewOf(shell, level))])
    }
  }
  const { streams, finish, fault } = await redirected(redirections, viewOf(shell, level))
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
  break: jump('break'),
  continue: jump('continue'),
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

function viewOf(shell: Shell, level: Level): WordView {
  return {
    process: shell,
    name: level.name,
    async outputOf(command) {
      if (level.depth > mostDepth) return ''
      const kept = new Kept()
      const state = { ...shell.state, env: new Map(shell.state.env) }
      const inner = { ...level, depth: level.depth + 1 }
      shell.state.lastCode = await untilExit(() => runText({ ...shell, state, stdout: kept }, command, inner))
      return kept.bytes.toString('utf8').replace(/\n+$/, '')
    },
  }
}
