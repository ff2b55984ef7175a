// What the REST interface answers with, as far as the pages read it. Argo CD's shapes, plus our own under /homeostat.

export interface Health {
  readonly status?: string
  readonly message?: string
}

export interface AppResource {
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly status?: string
  readonly health?: Health
  readonly requiresPruning?: boolean
  readonly syncWave?: number
}

export interface HistoryEntry {
  readonly id: number
  readonly revision?: string
  readonly revisions?: readonly string[]
  readonly deployStartedAt?: string
  readonly deployedAt?: string
  readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean }
}

export interface OperationState {
  readonly phase: string
  readonly message?: string
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly operation?: { readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean } }
  readonly syncResult?: {
    readonly revision?: string
    readonly revisions?: readonly string[]
    readonly resources?: readonly {
      readonly group?: string
      readonly kind: string
      readonly namespace?: string
      readonly name: string
      readonly status?: string
      readonly message?: string
      readonly hookPhase?: string
    }[]
  }
}

export interface Source {
  readonly repoURL: string
  readonly path?: string
  readonly chart?: string
  readonly ref?: string
  readonly targetRevision?: string
}

export interface Application {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
  }
  readonly spec: {
    readonly project?: string
    readonly source?: Source
    readonly sources?: readonly Source[]
    readonly destination: { readonly server?: string; readonly name?: string; readonly namespace?: string }
    readonly syncPolicy?: {
      readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean; readonly enabled?: boolean }
    }
  }
  readonly operation?: object
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string; readonly revisions?: readonly string[] }
    readonly health?: Health
    readonly resources?: readonly AppResource[]
    readonly conditions?: readonly {
      readonly type: string
      readonly message: string
      readonly lastTransitionTime?: string
    }[]
    readonly operationState?: OperationState
    readonly history?: readonly HistoryEntry[]
    readonly reconciledAt?: string
    readonly summary?: { readonly images?: readonly string[] }
  }
}

export interface ShownCluster {
  readonly name: string
  readonly server: string
  readonly serverVersion?: string
  readonly namespaces?: readonly string[]
  readonly project?: string
  readonly connectionState: { readonly status: string; readonly message: string; readonly attemptedAt?: string }
  readonly info: { readonly applicationsCount: number; readonly cacheInfo?: { readonly resourcesCount: number } }
}

export interface ClusterList {
  readonly items: readonly ShownCluster[]
}

export interface ResourceRef {
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly uid?: string
}

/** Something that can be done with a resource. */
export interface ResourceAction {
  readonly name: string
  readonly displayName?: string
  readonly disabled?: boolean
  readonly params?: readonly { readonly name: string; readonly default?: string }[]
}

export interface TreeNode extends ResourceRef {
  readonly parentRefs?: readonly ResourceRef[]
  readonly health?: Health
  readonly info?: readonly { readonly name: string; readonly value: string }[]
  readonly createdAt?: string
  readonly images?: readonly string[]
}

export interface Tree {
  readonly nodes?: readonly TreeNode[]
  readonly orphanedNodes?: readonly TreeNode[]
}

export interface ManagedResource extends ResourceRef {
  readonly liveState?: string
  readonly targetState?: string
  readonly normalizedLiveState?: string
  readonly predictedLiveState?: string
  readonly modified?: boolean
  readonly hook?: boolean
  /** Why the cluster does not take what git says. */
  readonly refusal?: string
}

export interface KubeEvent {
  readonly metadata: { readonly name: string; readonly creationTimestamp?: string }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly count?: number
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly eventTime?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly reportingComponent?: string
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly namespace?: string }
}

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

/** What the sync windows of its project say of an application. */
export interface SyncWindows {
  readonly status: string
  readonly assignedWindows?: readonly SyncWindow[] | null
  readonly activeWindows?: readonly SyncWindow[] | null
}

export interface SyncWindow {
  readonly kind?: string
  readonly schedule?: string
  readonly duration?: string
  readonly manualSync?: boolean
}

export interface UserInfo {
  readonly loggedIn: boolean
  readonly username?: string
}
