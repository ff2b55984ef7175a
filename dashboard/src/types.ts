// What the REST interface answers with in Argo CD's shapes, as far as the pages read it.

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
