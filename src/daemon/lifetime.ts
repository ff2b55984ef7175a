// From start to stop: what was done on the way up is undone in the opposite order, at the end or when the way up fails.

import { TokensError } from '#http/kube'
import { DaemonError } from './options.ts'

/** What has to be undone at the end, last first. */
export type Undo = (() => Promise<void> | void)[]

/** Something that runs until it is stopped. */
export interface Running<Addresses> {
  readonly addresses: Addresses
  /** Resolves when it cannot go on (its disk failed): the reason in one line. */
  readonly failed: Promise<string>
  stop(): Promise<void>
}

/** Builds it; a failure undoes what was done and becomes one DaemonError where it is the user's to mend. */
export async function bringUp<T>(
  dataDir: string,
  build: (undo: Undo) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> {
  const undo: Undo = []
  const stop = async (): Promise<void> => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    return { ...(await build(undo)), stop }
  } catch (error) {
    await stop()
    if (error instanceof TokensError) throw new DaemonError(`${dataDir}: ${error.message}`, { cause: error })
    throw error
  }
}
