// The objects of an application as pages, commands and rehearsals read them. Pure.

import type { Difference } from '#gitops/diff'
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
  /** Where live and predicted differ; values of Secrets are masked here. */
  readonly differences: readonly Difference[]
  /** Why the cluster refuses the target. */
  readonly refusal?: string
  /** There and not wanted. */
  readonly requiresPruning: boolean
  /** The cluster has objects of this kind. */
  readonly served: boolean
}

/** What a look at an application found. */
export interface Seen {
  readonly states: () => readonly ManagedState[]
  /** Among what git says. */
  readonly hooks: readonly AnyObject[]
}

export function managedStates(comparison: Comparison | undefined): readonly ManagedState[] {
  if (comparison === undefined) return []
  return comparison.entries.map(({ key, version, live, target, predicted, sync, ...entry }) => ({
    ...key,
    version,
    hook: false,
    live,
    target,
    predicted: predicted ?? target,
    modified: sync === 'OutOfSync',
    differences: entry.differences,
    ...(entry.refusal === undefined ? {} : { refusal: entry.refusal }),
    requiresPruning: entry.requiresPruning,
    served: entry.kind !== undefined,
  }))
}
