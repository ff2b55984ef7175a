// Replays a recording until one replay shows the same. What falls into one moment (a controller's second and the kubelet's)
// comes in an order of chance, on the real node as here: the recording holds one of the orders, and each seed another.

import { differences } from './compare.ts'
import type { Recording } from './recording.ts'
import { replay } from './replay.ts'

const maxAttempts = 6

/** How the first replay differs; nothing when one of the replays does not. */
export async function faultsOf(recording: Recording): Promise<readonly string[]> {
  let first: readonly string[] = []
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const faults = differences(recording, await replay(recording, attempt))
    if (faults.length === 0) return faults
    if (attempt === 1) first = faults
  }
  return first
}
