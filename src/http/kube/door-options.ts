// What a door to the Kubernetes API is given, and the limits that it keeps.

import type { ApiHandler } from '#api'
import type { Audit, Decide } from '#apiserver'
import type { Log } from '#world'
import type { Authenticate } from './authenticate.ts'
import type { Target } from './route.ts'

export interface DoorLimits {
  readonly bodyBytes: number
  /** A watcher that takes nothing for this long is cut off. */
  readonly stalledMs: number
  /** Requests in progress at a time, watches among them; more are told to come back. */
  readonly active: number
  /** A request that is no watch and no log must be answered within this time. */
  readonly requestMs: number
}

/** What is told of every finished request: for metrics. */
export interface RequestRecord {
  readonly verb: string
  readonly target: Target | undefined
  readonly code: number
  readonly seconds: number
}

export interface KubeDoorOptions {
  readonly handler: ApiHandler
  readonly authenticate: Authenticate
  readonly decide: Decide
  /** Absent: nothing is audited. */
  readonly audit?: Audit
  readonly log: Log
  /** DNS names that the server goes by; addresses are always accepted. */
  readonly names: readonly string[]
  readonly limits?: Partial<DoorLimits>
  readonly onRequest?: (record: RequestRecord) => void
  /** Paths that the door answers itself, for those who may get them: `/metrics`. */
  readonly texts?: Readonly<Record<string, () => Promise<{ readonly text: string; readonly contentType: string }>>>
}
