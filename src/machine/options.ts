// What a machine is made of, and how it may differ from the usual one.

import type { ApiHandler } from '#api'
import type { ApiServerOptions } from '#apiserver'
import type { LoopDefinition } from '#reconcile'
import type { Store } from '#store'
import type { World } from '#world'
import type { ResidentOptions } from './residents.ts'

export interface MachineOptions extends ResidentOptions {
  readonly world: World
  /** Which of the resident loops run; default: all. */
  readonly loops?: (loop: LoopDefinition) => boolean
  /** Which admission plug-ins work, if not those of a kube-apiserver without options. */
  readonly admission?: NonNullable<ApiServerOptions['admission']>
  /** Whose a bearer token is that the door knows beside those of service accounts. */
  readonly tokenUser?: NonNullable<ApiServerOptions['tokenUser']>
  /** Loops beside the residents. */
  readonly extraLoops?: readonly LoopDefinition[]
  /** Around every loop: watching what it is given and how long it takes. */
  readonly around?: (loop: LoopDefinition) => LoopDefinition
  /** Default: a store in memory. The machine closes the store that it was given. */
  readonly store?: Store
  /** Around every request, of loops and doors alike: latency, faults, audit, recording. */
  readonly wrap?: (next: ApiHandler) => ApiHandler
  /** Around the requests of loops alone: those that come in by a door are for the door to judge and to audit. */
  readonly wrapLoops?: (next: ApiHandler) => ApiHandler
  readonly resyncMs?: number
  /** PEM of the key that service account tokens are signed with. */
  readonly serviceAccountKey?: string
}

/** What every life of a machine stands on. */
export interface Foundation {
  readonly store: Store
  readonly serviceAccountKey: string | (() => string)
}
