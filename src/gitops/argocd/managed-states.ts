// The objects of an application as pages are told of them.

import type { AnyObject } from '#objects'
import type { Comparison } from './comparison.ts'

/** One object of an application: what git says, what is there, what the cluster would store. Secrets are not masked here. */
export interface ManagedState {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly hook: boolean
  readonly live: AnyObject | undefined
  readonly target: AnyObject | undefined
  readonly predicted: AnyObject | undefined
  readonly modified: boolean
}

export function managedStates(comparison: Comparison | undefined): readonly ManagedState[] {
  if (comparison === undefined) return []
  return comparison.entries.map(({ key, version, live, target, predicted, sync }) => ({
    ...key,
    version,
    hook: false,
    live,
    target,
    predicted: predicted ?? target,
    modified: sync === 'OutOfSync',
  }))
}
