// Waits for something that runs until it is told to stop; what kept it from starting or going on becomes one line.

import { CommandError, exitCode } from './exit-code.ts'
import type { Terminal } from './terminal.ts'

type DaemonErrors = Pick<typeof import('#daemon'), 'DaemonError' | 'DaemonUsageError'>

export async function untilStopped(
  terminal: Terminal,
  { DaemonError, DaemonUsageError }: DaemonErrors,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof DaemonError)) throw error
    const code = error instanceof DaemonUsageError ? exitCode.usage : exitCode.failed
    throw new CommandError(error.message, code, { cause: error })
  }
  terminal.err('homeostat: stopped')
}
