// How a command ends. What the numbers mean for each stands in endings.ts, docs and `--help`; scripts rely on them.

export const exitCode = {
  /** Done, and everything asked about is in order. */
  ok: 0,
  /** Done, but something differs from git or is not in order. */
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
