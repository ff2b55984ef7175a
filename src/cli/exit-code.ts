// How a command ends. The numbers are documented in README and in `homeostat --help`; scripts rely on them.

export const exitCode = {
  /** Done, and everything asked about is in order. */
  ok: 0,
  /** Done, but something differs from git or is not healthy. */
  differs: 1,
  /** The command line is wrong. */
  usage: 2,
  /** It could not be done: the message says what failed and what to do. */
  failed: 3,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** A failure that the user can act on: one line, no stack. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: ExitCode
  constructor(message: string, code: ExitCode = exitCode.failed, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
