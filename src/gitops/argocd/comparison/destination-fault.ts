// The destination cannot be looked at: nothing can be said of the application until that changes, which wakes it.

import type { Finding } from '../application/conditions.ts'

export class DestinationFault extends Error {
  override readonly name = 'DestinationFault'
}

/** In Argo CD's words; `reason` names the cluster. */
export const liveStateFinding = (reason: string): Finding => ({
  type: 'ComparisonError',
  message: `Failed to load live state: ${reason}`,
})
