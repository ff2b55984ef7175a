// Runs a daemon until it is told to stop. SIGINT and SIGTERM end it in good order, also while it starts; a second wish
// ends it at once. One Ctrl-C often arrives several times (from the terminal, from npm, from a wrapper): signals that
// come close together are one wish.

import { startDaemon } from './daemon.ts'
import { type DaemonAddresses, DaemonError, type DaemonOptions } from './options.ts'

/** A stop that takes longer is ended hard. */
const stopMs = 15_000
const oneWishMs = 1000
const signals = ['SIGINT', 'SIGTERM'] as const

/** `onNews` hears of the applications, line by line. Resolves after a clean stop; rejects with DaemonError when the daemon cannot start or go on. */
export async function runDaemon(
  options: DaemonOptions,
  onReady: (addresses: DaemonAddresses) => void = () => {},
  onNews: (line: string) => void = () => {},
): Promise<void> {
  const told = listenForStop()
  const daemon = await startDaemon(options)
  if (!told.isTold()) onReady(daemon.addresses)
  daemon.follow(onNews)
  const failure = await Promise.race([told.promise, daemon.failed])
  const limit = setTimeout(() => {
    process.stderr.write('homeostat: could not stop in good order; what was acknowledged is on disk\n')
    process.exit(1)
  }, stopMs)
  await daemon.stop()
  clearTimeout(limit)
  if (failure !== undefined) throw new DaemonError(failure)
}

/** Listens to the end of the process: an echo of the signal may still come when all is done. */
function listenForStop() {
  let toldAt: number | undefined
  let tell: () => void = () => {}
  const promise = new Promise<undefined>((resolve) => {
    tell = () => resolve(undefined)
  })
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now()
    if (toldAt !== undefined && now - toldAt > oneWishMs) process.exit(signal === 'SIGINT' ? 130 : 143)
    toldAt ??= now
    tell()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return { promise, isTold: () => toldAt !== undefined }
}
