// The kind AppProject: which repositories its applications may read and where they may write.

import type { JsonObject, KubeObject } from '#objects'
import type { CustomResourceDefinition, JSONSchemaProps } from '../generated/types.ts'
import type { Kind } from '../kind.ts'

export interface ProjectDestination {
  readonly server?: string
  readonly name?: string
  readonly namespace?: string
}

export interface GroupKindRule {
  readonly group: string
  readonly kind: string
  readonly name?: string
}

export interface AppProjectSpec {
  readonly description?: string
  /** Globs; `!` before one denies. */
  readonly sourceRepos?: readonly string[]
  readonly destinations?: readonly ProjectDestination[]
  readonly clusterResourceWhitelist?: readonly GroupKindRule[]
  readonly clusterResourceBlacklist?: readonly GroupKindRule[]
  readonly namespaceResourceWhitelist?: readonly GroupKindRule[]
  readonly namespaceResourceBlacklist?: readonly GroupKindRule[]
}

export interface AppProject extends KubeObject {
  readonly spec: AppProjectSpec
}

export const AppProject: Kind<AppProject> = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'AppProject',
  resource: 'appprojects',
  namespaced: true,
}

const text: JsonObject = { type: 'string' }
const rules: JsonObject = {
  type: 'array',
  items: { type: 'object', required: ['group', 'kind'], properties: { group: text, kind: text, name: text } },
}

const spec: JsonObject = {
  type: 'object',
  // Roles, sync windows, signature keys and the like are kept as they are.
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    description: text,
    sourceRepos: { type: 'array', items: text },
    destinations: {
      type: 'array',
      items: { type: 'object', properties: { server: text, name: text, namespace: text } },
    },
    clusterResourceWhitelist: rules,
    clusterResourceBlacklist: rules,
    namespaceResourceWhitelist: rules,
    namespaceResourceBlacklist: rules,
  },
}

export const appProjectDefinition: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'appprojects.argoproj.io',
    labels: { 'app.kubernetes.io/name': 'appprojects.argoproj.io', 'app.kubernetes.io/part-of': 'argocd' },
  },
  spec: {
    group: 'argoproj.io',
    scope: 'Namespaced',
    names: {
      plural: 'appprojects',
      singular: 'appproject',
      kind: 'AppProject',
      listKind: 'AppProjectList',
      shortNames: ['appproj', 'appprojs'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['metadata', 'spec'],
            properties: {
              apiVersion: text,
              kind: text,
              metadata: { type: 'object' },
              spec,
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          } as JSONSchemaProps,
        },
      },
    ],
  },
}
