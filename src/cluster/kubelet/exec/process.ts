// What a command is given: its words, its input and output, and the container around it.

import { posix } from 'node:path'
import type { User } from '../containers/users.ts'
import type { FileTree } from './files.ts'
import type { Input, Output } from './streams.ts'
import type { Terminal } from './terminal.ts'

/** The container as commands in it see it. */
export interface Surroundings {
  readonly files: FileTree
  readonly hostname: string
  readonly image: string
  readonly user: User
  readonly now: () => number
  /** In world time; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** What a shell may change for those who come after. */
export interface ShellState {
  cwd: string
  readonly env: Map<string, string>
  lastCode: number
}

export interface Process {
  readonly args: readonly string[]
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly around: Surroundings
  readonly state: ShellState
  readonly signal: AbortSignal
  /** Where somebody sits and types. */
  readonly terminal?: Terminal
}

export type Command = (process: Process) => Promise<number>

/** The shell, or a command, ends the shell that runs it. */
export class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

export function resolved({ state }: Pick<Process, 'state'>, path: string): string {
  const whole = posix.resolve(state.cwd, path)
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

/** Says what went wrong, as `name: text`. */
export async function complain(process: Process, text: string, code = 1): Promise<number> {
  await process.stderr.write(`${process.args[0]}: ${text}\n`)
  return code
}

/** Flags of one letter, and what is left; `--` ends them. */
export function flagsOf(args: readonly string[]): { readonly flags: ReadonlySet<string>; readonly rest: string[] } {
  const flags = new Set<string>()
  const rest: string[] = []
  let open = true
  for (const arg of args.slice(1)) {
    if (open && arg === '--') open = false
    else if (open && /^-[A-Za-z0-9]+$/.test(arg)) for (const flag of arg.slice(1)) flags.add(flag)
    else rest.push(arg)
  }
  return { flags, rest }
}
