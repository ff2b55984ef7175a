// What a command is: it adds itself to the command line and sets the exit code that it ends with.

import type { Command } from 'commander'
import type { ExitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

export interface Invocation {
  readonly terminal: Terminal
  /** Wraps an action: its result becomes the exit code of the process. */
  readonly action: <A extends readonly unknown[]>(
    run: (...args: A) => Promise<ExitCode>,
  ) => (...args: A) => Promise<void>
}

export type CommandDefinition = (program: Command, invocation: Invocation) => void
