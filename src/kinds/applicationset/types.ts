// Argo CD's ApplicationSet (argoproj.io/v1alpha1): generators of parameters, a template, and how the Applications that come of
// them may change. Field names, words and meanings are Argo CD's.

import type { Json, JsonObject, KubeObject, LabelSelector } from '#objects'

export interface ApplicationSetTemplate {
  readonly metadata?: {
    readonly name?: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  readonly spec?: JsonObject
}

export interface GitGenerator {
  readonly repoURL: string
  readonly revision?: string
  readonly directories?: readonly { readonly path: string; readonly exclude?: boolean }[]
  readonly files?: readonly { readonly path: string; readonly exclude?: boolean }[]
  readonly pathParamPrefix?: string
  readonly values?: Readonly<Record<string, string>>
  readonly requeueAfterSeconds?: number
  readonly template?: ApplicationSetTemplate
}

/** One of its fields is set; `selector` filters what comes of it. */
export interface Generator {
  readonly list?: {
    readonly elements?: readonly Json[]
    readonly elementsYaml?: string
    readonly template?: ApplicationSetTemplate
  }
  readonly clusters?: {
    readonly selector?: LabelSelector
    readonly values?: Readonly<Record<string, string>>
    readonly flatList?: boolean
    readonly template?: ApplicationSetTemplate
  }
  readonly git?: GitGenerator
  readonly matrix?: { readonly generators: readonly Generator[]; readonly template?: ApplicationSetTemplate }
  readonly merge?: {
    readonly generators: readonly Generator[]
    readonly mergeKeys: readonly string[]
    readonly template?: ApplicationSetTemplate
  }
  readonly selector?: LabelSelector
  readonly [other: string]: unknown
}

export type ApplicationsSync = 'sync' | 'create-only' | 'create-update' | 'create-delete'

export interface RolloutStep {
  readonly matchExpressions?: readonly {
    readonly key?: string
    readonly operator?: string
    readonly values?: readonly string[]
  }[]
  /** A number or a share in percent; without it all may be updated together. */
  readonly maxUpdate?: number | string
}

export interface ApplicationSetStrategy {
  /** AllAtOnce or RollingSync. */
  readonly type?: string
  readonly rollingSync?: { readonly steps?: readonly RolloutStep[]; readonly defaultPrune?: boolean }
  /** AllAtOnce or Reverse. */
  readonly deletionOrder?: string
}

export interface ApplicationSetSpec {
  readonly goTemplate?: boolean
  readonly goTemplateOptions?: readonly string[]
  readonly generators: readonly Generator[]
  readonly template: ApplicationSetTemplate
  readonly templatePatch?: string
  readonly syncPolicy?: {
    readonly applicationsSync?: ApplicationsSync
    readonly preserveResourcesOnDeletion?: boolean
  }
  readonly strategy?: ApplicationSetStrategy
  readonly preservedFields?: { readonly annotations?: readonly string[]; readonly labels?: readonly string[] }
  readonly ignoreApplicationDifferences?: readonly {
    readonly name?: string
    readonly jsonPointers?: readonly string[]
    readonly jqPathExpressions?: readonly string[]
  }[]
}

export interface ApplicationSetCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  readonly lastTransitionTime?: string
}

export interface ApplicationSetResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
  readonly status?: string
  readonly health?: { readonly status?: string; readonly message?: string }
}

export type RolloutStatus = 'Waiting' | 'Pending' | 'Progressing' | 'Healthy'

/** How far a RollingSync is with one Application. */
export interface ApplicationSetApplicationStatus {
  readonly application: string
  readonly lastTransitionTime?: string
  readonly message: string
  readonly status: RolloutStatus
  /** Counted from 1; -1 for an Application that no step selects. */
  readonly step: string
  readonly targetRevisions: readonly string[]
}

export interface ApplicationSet extends KubeObject {
  readonly spec: ApplicationSetSpec
  readonly status?: {
    readonly conditions?: readonly ApplicationSetCondition[]
    readonly applicationStatus?: readonly ApplicationSetApplicationStatus[]
    readonly resources?: readonly ApplicationSetResource[]
    readonly resourcesCount?: number
  }
}
