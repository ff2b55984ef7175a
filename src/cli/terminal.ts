// The streams a command was given. Results go to `out`; progress and notes go to `err`, so that pipes get results only.

export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether a person is looking: progress lines are rewritten in place, otherwise they are plain lines. */
  readonly interactive: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  // A reader that goes away (`| head`) ends the command quietly, as it does for other tools.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // What has just been printed may have been the last word: its exit code is known in a moment, and counts.
    if (error.code === 'EPIPE') setImmediate(() => process.exit())
  })
  return {
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
    interactive: process.stderr.isTTY === true,
    env: process.env,
    cwd: process.cwd(),
  }
}
