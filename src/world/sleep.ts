// Sleeping on any clock, ended early by an abort.

import type { Clock } from './world.ts'

export function abortableSleep(clock: Pick<Clock, 'after'>, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason)
    const onAbort = (): void => {
      cancel()
      reject(signal?.reason)
    }
    const cancel = clock.after(delayMs, 'sleep', () => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
