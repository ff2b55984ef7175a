// Runs a daemon until it is told to stop: SIGINT and SIGTERM end it in good order, a second signal at once.

import { startDaemon } from './daemon.ts'
import { type DaemonAddresses, DaemonError, type DaemonOptions } from './options.ts'

/** A stop that takes longer is ended hard. */
const stopMs = 15_000
const signals = ['SIGINT', 'SIGTERM'] as const

/** Resolves after a clean stop; rejects with DaemonError when the daemon cannot start or go on. */
export async function runDaemon(
  options: DaemonOptions,
  onReady: (addresses: DaemonAddresses) => void = () => {},
): Promise<void> {
  const daemon = await startDaemon(options)
  const told = whenToldToStop()
  onReady(daemon.addresses)
  const failure = await Promise.race([told.then(() => undefined), daemon.failed])
  const limit = setTimeout(() => {
    process.stderr.write('homeostat: could not stop in good order; what was acknowledged is on disk\n')
    process.exit(1)
  }, stopMs)
  await daemon.stop()
  clearTimeout(limit)
  if (failure !== undefined) throw new DaemonError(failure)
}

function whenToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let told = false
    const onSignal = (signal: NodeJS.Signals): void => {
      if (told) process.exit(signal === 'SIGINT' ? 130 : 143)
      told = true
      resolve()
    }
    for (const signal of signals) process.on(signal, onSignal)
  })
}
