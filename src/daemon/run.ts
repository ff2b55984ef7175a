// Runs something until it is told to stop. SIGINT and SIGTERM end it in good order, also while it starts; a second wish
// ends it at once. One Ctrl-C often arrives several times (from the terminal, from npm, from a wrapper): signals that
// come close together are one wish.

import type { Running } from './lifetime.ts'
import { DaemonError } from './options.ts'

/** As for whatever could not be done. */
const failed = 3
/** A stop that takes longer is ended hard. */
const stopMs = 15_000
const oneWishMs = 1000
const signals = ['SIGINT', 'SIGTERM'] as const

/** Resolves after a clean stop; rejects with DaemonError when it cannot start or go on. */
export async function runUntilStopped<R extends Running<unknown>>(
  start: () => Promise<R>,
  onReady: (running: R) => void,
): Promise<void> {
  const told = listenForStop()
  const running = await start()
  if (!told.isTold()) onReady(running)
  const failure = await Promise.race([told.promise, running.failed])
  const limit = setTimeout(() => {
    process.stderr.write('homeostat: could not stop in good order; what was acknowledged is on disk\n')
    process.exit(failed)
  }, stopMs)
  await running.stop()
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
