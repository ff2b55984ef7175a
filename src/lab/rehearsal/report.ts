// What a check and a plan say. These are the JSON documents of `-o json`: docs/plan.md tells them field by field.

import type { Finding } from '#insight'
import type { Json, JsonObject } from '#objects'
import type { Disruption } from './disruption.ts'
import type { Settled } from './stage.ts'

export interface ObjectName {
  readonly group: string
  readonly kind: string
  /** Empty for what is in no namespace. */
  readonly namespace: string
  readonly name: string
}

/** An object that is not as it should be. */
export interface Trouble extends ObjectName {
  readonly sync?: string
  readonly health?: string
  /** In the words of whoever refused or judged it. */
  readonly message?: string
  /** From the object down to the loop that has the next step, as `homeostat explain` tells them. */
  readonly findings: readonly Finding[]
}

export interface ApplicationReport {
  /** `name`, or `namespace/name` outside of argocd. */
  readonly name: string
  readonly inOrder: boolean
  readonly revision: string
  readonly sync: string
  readonly health: string
  readonly message?: string
  readonly objects: number
  readonly operation?: { readonly phase: string; readonly message: string }
  readonly conditions: readonly { readonly type: string; readonly message: string }[]
  readonly troubles: readonly Trouble[]
  /** So many more objects are in trouble, and are not listed. */
  readonly moreTroubles: number
}

export interface CheckReport {
  readonly repository: string
  readonly path: string
  readonly revision: RevisionReport
  readonly inOrder: boolean
  readonly end: Settled
  readonly counts: { readonly applications: number; readonly inOrder: number; readonly objects: number }
  readonly applications: readonly ApplicationReport[]
  /** Kinds that nothing defines, and that were taken to be there: `Gateway.gateway.networking.k8s.io`. */
  readonly assumedKinds: readonly string[]
  /** Loops that fail, whatever they work on. */
  readonly failingLoops: readonly { readonly loop: string; readonly key: string; readonly error: string }[]
}

export interface RevisionReport {
  /** Commit id; empty for files that are not committed. */
  readonly id: string
  readonly name: string
  readonly subject: string
}

export interface FieldChange {
  readonly path: string
  /** Absent when the field is not there. */
  readonly from?: Json
  readonly to?: Json
}

/**
 * `added`, `changed`, `removed` (deleted from the cluster), `kept` (gone from git, still there), `moved` (to another
 * Application).
 */
export type ObjectChange = 'added' | 'changed' | 'removed' | 'kept' | 'moved'

export interface ObjectPlan extends ObjectName {
  readonly change: ObjectChange
  /** `failed`: it was tried and refused. `blocked`: the sync did not come to it, for something else failed or waits. */
  readonly outcome: 'done' | 'failed' | 'blocked'
  readonly fields: readonly FieldChange[]
  /** Of an added object: what is stored. Values of Secrets are masked. */
  readonly manifest?: JsonObject
  /** Why it failed, in the words of the API server; or where it went. */
  readonly message?: string
}

export interface SyncStage {
  readonly phase: string
  readonly wave: number
  /** Seconds after the move. */
  readonly atSeconds: number
  readonly objects: readonly (ObjectName & { readonly hook: boolean; readonly result: string })[]
}

export interface ApplicationPlan {
  readonly name: string
  readonly change: 'added' | 'changed' | 'removed' | 'unchanged'
  readonly before?: { readonly sync: string; readonly health: string }
  readonly after?: ApplicationReport
  readonly counts: PlanCounts
  readonly objects: readonly ObjectPlan[]
  readonly order: readonly SyncStage[]
}

export interface PlanCounts {
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly kept: number
  readonly moved: number
  /** Of all of these. */
  readonly failed: number
  readonly blocked: number
}

export interface PlanReport {
  readonly repository: string
  readonly path: string
  readonly from: RevisionReport
  readonly to: RevisionReport
  readonly changes: boolean
  readonly inOrder: boolean
  /** Deletions that deserve a second look, in sentences. */
  readonly warnings: readonly string[]
  readonly counts: PlanCounts
  readonly before: Settled & { readonly applications: number; readonly inOrder: number }
  readonly end: Settled & { readonly applications: number; readonly inOrder: number }
  /** Those that change or are not in order. */
  readonly applications: readonly ApplicationPlan[]
  readonly disruptions: readonly Disruption[]
  readonly assumedKinds: readonly string[]
}
