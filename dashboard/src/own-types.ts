// What the REST interface answers with under /homeostat, as far as the pages read it: drift, loops, what is waited for.

export interface FieldChange {
  readonly path: string
  readonly live?: unknown
  readonly desired?: unknown
  readonly manager?: string
  readonly managerTime?: string
}

export interface DriftEntry {
  readonly application: string
  readonly group?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly detectedAt: string
  readonly correctedAt?: string
  readonly change?: string
  readonly fields?: readonly FieldChange[]
}

export interface LoopFigures {
  readonly name: string
  readonly kind?: string
  readonly queueDepth: number
  readonly working: number
  readonly paused?: boolean
  /** Every cache that it reads has been filled. */
  readonly synced?: boolean
  readonly reconciles: number
  readonly errors: number
  readonly lastReconcileAt?: string
  readonly lastDurationMs?: number
  readonly lastError?: { readonly key?: string; readonly message: string; readonly at?: string }
  readonly backoff: readonly {
    readonly key: string
    readonly error: string
    readonly failures?: number
    readonly nextTryAt: string
  }[]
}

export interface Finding {
  readonly state: 'converged' | 'progressing' | 'stuck'
  readonly loop: string
  readonly object: string
  readonly gap: string
  readonly since?: string
  /** How many steps of the chain lie above it. */
  readonly depth?: number
  readonly evidence: readonly string[]
  readonly advice?: string
  readonly placement?: Placement
}

export interface WaitingObject {
  readonly group: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** From the object down to where the chain ends. */
  readonly findings: readonly Finding[]
  /** Other objects that wait for the same, as `Kind namespace/name`. */
  readonly holdsUp: readonly string[]
  /** Others of its kind of which the very same is to be said. */
  readonly alike: readonly string[]
}

/** What the whole cluster waits for. */
export interface Waiting {
  readonly items: readonly WaitingObject[]
  readonly more: number
  readonly loops: readonly {
    readonly loop: string
    readonly trouble: string
    readonly keys: number
    readonly key?: string
    readonly error: string
    readonly nextTryAt?: string
  }[]
}

/** What the scheduler found at its last attempt for a pod. */
export interface Placement {
  readonly at: string
  readonly scheduler: string
  readonly node?: string
  readonly nodes: number
  readonly evaluated: number
  readonly feasible: number
  readonly refused: readonly {
    readonly plugin: string
    readonly reasons: readonly string[]
    readonly count: number
    readonly nodes: readonly string[]
  }[]
  readonly scores: readonly {
    readonly node: string
    readonly total: number
    readonly byPlugin: readonly { readonly plugin: string; readonly score: number; readonly weight: number }[]
  }[]
  readonly preemption?: { readonly node?: string; readonly victims: readonly string[]; readonly message?: string }
  readonly waiting?: {
    readonly attempts: number
    readonly wakes: readonly { readonly plugin: string; readonly events: readonly string[] }[]
    readonly backoffUntil: string
    readonly nextTryAt: string
  }
}
