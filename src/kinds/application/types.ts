// Argo CD's Application (argoproj.io/v1alpha1): what a person declares in spec and what the reconciler reports in status.
// Field names, words and meanings are Argo CD's; what Homeostat does not read yet is still accepted and kept.

import type { KubeObject } from '#objects'
import type { HelmSource, JsonnetSource, KustomizeSource, PluginSource } from './source.ts'

export interface ApplicationDestination {
  readonly server?: string
  readonly name?: string
  readonly namespace?: string
}

export interface DirectorySource {
  readonly recurse?: boolean
  readonly include?: string
  readonly exclude?: string
  readonly jsonnet?: JsonnetSource
}

export interface ApplicationSource {
  readonly repoURL: string
  readonly path?: string
  /** Branch, tag, range of versions, commit or HEAD; empty means HEAD. Of a chart: its version or a range. */
  readonly targetRevision?: string
  readonly chart?: string
  readonly ref?: string
  readonly name?: string
  readonly directory?: DirectorySource
  readonly helm?: HelmSource
  readonly kustomize?: KustomizeSource
  readonly plugin?: PluginSource
}

export interface Backoff {
  readonly duration?: string
  readonly factor?: number
  readonly maxDuration?: string
}

export interface RetryStrategy {
  /** Below 0: without limit. */
  readonly limit?: number
  readonly backoff?: Backoff
  readonly refresh?: boolean
}

export interface AutomatedSync {
  readonly enabled?: boolean
  readonly prune?: boolean
  readonly selfHeal?: boolean
  readonly allowEmpty?: boolean
}

export interface SyncPolicy {
  readonly automated?: AutomatedSync
  readonly syncOptions?: readonly string[]
  readonly retry?: RetryStrategy
  readonly managedNamespaceMetadata?: NamespaceMetadata
}

export interface NamespaceMetadata {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}

export interface IgnoreDifference {
  readonly group?: string
  readonly kind: string
  readonly name?: string
  readonly namespace?: string
  readonly jsonPointers?: readonly string[]
  readonly jqPathExpressions?: readonly string[]
  readonly managedFieldsManagers?: readonly string[]
}

export interface ApplicationSpec {
  readonly project: string
  readonly source?: ApplicationSource
  readonly sources?: readonly ApplicationSource[]
  readonly destination: ApplicationDestination
  readonly syncPolicy?: SyncPolicy
  readonly ignoreDifferences?: readonly IgnoreDifference[]
  readonly info?: readonly { readonly name: string; readonly value: string }[]
  readonly revisionHistoryLimit?: number
}

export interface OperationInitiator {
  readonly username?: string
  readonly automated?: boolean
}

export interface SyncOperationResource {
  readonly group?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}

export interface SyncOperation {
  readonly revision?: string
  readonly revisions?: readonly string[]
  readonly prune?: boolean
  readonly dryRun?: boolean
  readonly resources?: readonly SyncOperationResource[]
  readonly source?: ApplicationSource
  readonly sources?: readonly ApplicationSource[]
  readonly syncOptions?: readonly string[]
  readonly syncStrategy?: {
    readonly apply?: { readonly force?: boolean }
    readonly hook?: { readonly force?: boolean }
  }
  /** Texts of objects that are synced in the place of what git says. */
  readonly manifests?: readonly string[]
  readonly autoHealAttemptsCount?: number
}

export interface Operation {
  readonly sync?: SyncOperation
  readonly initiatedBy?: OperationInitiator
  readonly info?: readonly { readonly name: string; readonly value: string }[]
  readonly retry?: RetryStrategy
}

export type SyncStatusCode = 'Synced' | 'OutOfSync' | 'Unknown'
export type HealthStatusCode = 'Healthy' | 'Suspended' | 'Progressing' | 'Missing' | 'Degraded' | 'Unknown'
export type OperationPhase = 'Running' | 'Terminating' | 'Failed' | 'Error' | 'Succeeded'
export type ResultCode = 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped'
export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail'

export interface HealthStatus {
  readonly status?: HealthStatusCode
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface ApplicationResource {
  readonly group?: string
  readonly version?: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  readonly status?: SyncStatusCode
  readonly health?: HealthStatus
  readonly hook?: boolean
  readonly requiresPruning?: boolean
  readonly syncWave?: number
  readonly requiresDeletionConfirmation?: boolean
}

export interface ResourceResult {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly status?: ResultCode
  readonly message?: string
  readonly hookType?: string
  readonly hookPhase?: OperationPhase
  readonly syncPhase?: SyncPhase
}

export interface SyncOperationResult {
  readonly revision?: string
  readonly revisions?: readonly string[]
  readonly source?: ApplicationSource
  readonly sources?: readonly ApplicationSource[]
  readonly resources?: readonly ResourceResult[]
  readonly managedNamespaceMetadata?: NamespaceMetadata
}

export interface OperationState {
  readonly operation: Operation
  readonly phase: OperationPhase
  readonly message?: string
  readonly startedAt: string
  readonly finishedAt?: string
  readonly retryCount?: number
  readonly syncResult?: SyncOperationResult
}

export interface RevisionHistory {
  readonly id: number
  readonly revision?: string
  readonly revisions?: readonly string[]
  readonly source?: ApplicationSource
  readonly sources?: readonly ApplicationSource[]
  readonly deployStartedAt?: string
  readonly deployedAt: string
  readonly initiatedBy?: OperationInitiator
}

export interface ApplicationCondition {
  readonly type: string
  readonly message: string
  readonly lastTransitionTime?: string
}

export interface ApplicationStatus {
  readonly sync?: {
    readonly status: SyncStatusCode
    readonly revision?: string
    readonly revisions?: readonly string[]
    readonly comparedTo?: {
      readonly source?: ApplicationSource
      readonly sources?: readonly ApplicationSource[]
      readonly destination: ApplicationDestination
      readonly ignoreDifferences?: readonly IgnoreDifference[]
    }
  }
  readonly health?: HealthStatus
  readonly resources?: readonly ApplicationResource[]
  readonly conditions?: readonly ApplicationCondition[]
  readonly operationState?: OperationState
  readonly history?: readonly RevisionHistory[]
  readonly reconciledAt?: string
  readonly sourceType?: string
  readonly sourceTypes?: readonly string[]
  readonly summary?: { readonly images?: readonly string[]; readonly externalURLs?: readonly string[] }
  readonly controllerNamespace?: string
  readonly resourceHealthSource?: string
}

export interface Application extends KubeObject {
  readonly spec: ApplicationSpec
  /** Asked for by a person or the automated policy; the reconciler takes it and reports in status.operationState. */
  readonly operation?: Operation
  readonly status?: ApplicationStatus
}
