// The parts of a CustomResourceDefinition that the server reads.

import type { AnyObject, JsonObject } from '#objects'

export interface Names {
  readonly plural: string
  readonly singular?: string
  readonly kind: string
  readonly listKind?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
}

export interface PrinterColumn {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'date'
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

export interface VersionSpec {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated?: boolean
  readonly deprecationWarning?: string
  readonly schema?: { readonly openAPIV3Schema?: JsonObject }
  readonly subresources?: {
    readonly status?: object
    readonly scale?: {
      readonly specReplicasPath: string
      readonly statusReplicasPath: string
      readonly labelSelectorPath?: string
    }
  }
  readonly additionalPrinterColumns?: readonly PrinterColumn[]
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

export interface WebhookConversionSpec {
  readonly conversionReviewVersions?: readonly string[]
  readonly clientConfig?: {
    readonly url?: string
    readonly caBundle?: string
    readonly service?: {
      readonly name?: string
      readonly namespace?: string
      readonly path?: string
      readonly port?: number
    }
  }
}

export interface DefinitionSpec {
  readonly group: string
  readonly names: Names
  readonly scope: 'Cluster' | 'Namespaced'
  readonly versions: readonly VersionSpec[]
  readonly conversion?: { readonly strategy: 'None' | 'Webhook'; readonly webhook?: WebhookConversionSpec }
}

export interface DefinitionCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface DefinitionStatus {
  readonly conditions?: readonly DefinitionCondition[]
  readonly acceptedNames?: Partial<Names>
  readonly storedVersions?: readonly string[]
}

/** Keeps a definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'
export const definitionBucket = 'customresourcedefinitions.apiextensions.k8s.io'

export const specOf = (definition: AnyObject): DefinitionSpec => definition['spec'] as unknown as DefinitionSpec

export const statusOf = (definition: AnyObject): DefinitionStatus => (definition['status'] ?? {}) as DefinitionStatus

export const isTrue = (definition: AnyObject, type: string): boolean =>
  statusOf(definition).conditions?.some((condition) => condition.type === type && condition.status === 'True') === true
