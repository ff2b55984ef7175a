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

/** A time in which syncs of some applications are allowed, or denied. */
export interface SyncWindow {
  readonly kind?: string
  /** Cron format: when it opens. */
  readonly schedule?: string
  /** How long it is open. */
  readonly duration?: string
  /** IANA name of the zone in which the schedule is meant; default UTC. */
  readonly timeZone?: string
  /** Globs, as are the two others: one that fits is enough, unless `andOperator` says that each list must have one. */
  readonly applications?: readonly string[]
  readonly namespaces?: readonly string[]
  /** Names or URLs. */
  readonly clusters?: readonly string[]
  readonly andOperator?: boolean
  /** People may sync where the window keeps the automation from it. */
  readonly manualSync?: boolean
  /** A sync that was under way goes on: into a deny window, or beyond the end of an allow window. */
  readonly syncOverrun?: boolean
  readonly description?: string
}

/** Objects in the destinations of the project's applications that belong to none are listed. */
export interface OrphanedResources {
  /** Applications get a warning. */
  readonly warn?: boolean
  /** Globs; a group or kind that is missing fits no group but the core's, and every kind. */
  readonly ignore?: readonly { readonly group?: string; readonly kind?: string; readonly name?: string }[]
}

export interface SignatureKey {
  /** Of a PGP key the id or fingerprint; of an ssh key the fingerprint, as `SHA256:…`. */
  readonly keyID: string
}

/** A token that was given out for a role: what it says of itself. */
export interface ProjectToken {
  /** Seconds since 1970. */
  readonly iat: number
  readonly exp?: number
  readonly id?: string
}

/** Rights within a project, for groups and for tokens. */
export interface ProjectRole {
  readonly name: string
  readonly description?: string
  /** Lines of Argo CD's policies: `p, proj:PROJECT:ROLE, applications, sync, PROJECT/*, allow`. */
  readonly policies?: readonly string[]
  readonly groups?: readonly string[]
  readonly jwtTokens?: readonly ProjectToken[]
}

export interface AppProjectSpec {
  readonly description?: string
  /** Globs; `!` before one denies. */
  readonly sourceRepos?: readonly string[]
  readonly destinations?: readonly ProjectDestination[]
  /** Globs of namespaces beside argocd whose Applications may use the project. */
  readonly sourceNamespaces?: readonly string[]
  readonly clusterResourceWhitelist?: readonly GroupKindRule[]
  readonly clusterResourceBlacklist?: readonly GroupKindRule[]
  readonly namespaceResourceWhitelist?: readonly GroupKindRule[]
  readonly namespaceResourceBlacklist?: readonly GroupKindRule[]
  readonly syncWindows?: readonly SyncWindow[]
  readonly orphanedResources?: OrphanedResources
  /** Only clusters that say they are of this project. */
  readonly permitOnlyProjectScopedClusters?: boolean
  /** Revisions must be signed by one of these; none: by nobody. */
  readonly signatureKeys?: readonly SignatureKey[]
  readonly roles?: readonly ProjectRole[]
}

/** Our own: what is wrong with the project itself. */
export interface AppProjectCondition {
  readonly type: 'InvalidSpecError'
  readonly message: string
  readonly lastTransitionTime?: string
}

export interface AppProject extends KubeObject {
  readonly spec: AppProjectSpec
  readonly status?: {
    readonly conditions?: readonly AppProjectCondition[]
    readonly jwtTokensByRole?: Readonly<Record<string, { readonly items?: readonly ProjectToken[] }>>
  }
}

export const AppProject: Kind<AppProject> = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'AppProject',
  resource: 'appprojects',
  namespaced: true,
}

const text: JsonObject = { type: 'string' }
const texts: JsonObject = { type: 'array', items: text }
const flag: JsonObject = { type: 'boolean' }
const rules: JsonObject = {
  type: 'array',
  items: { type: 'object', required: ['group', 'kind'], properties: { group: text, kind: text, name: text } },
}

const syncWindows: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      kind: text,
      schedule: text,
      duration: text,
      timeZone: text,
      applications: texts,
      namespaces: texts,
      clusters: texts,
      andOperator: flag,
      manualSync: flag,
      syncOverrun: flag,
      description: text,
    },
  },
}

const orphanedResources: JsonObject = {
  type: 'object',
  properties: {
    warn: flag,
    ignore: { type: 'array', items: { type: 'object', properties: { group: text, kind: text, name: text } } },
  },
}

const whole: JsonObject = { type: 'integer', format: 'int64' }

const roles: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: text,
      description: text,
      policies: texts,
      groups: texts,
      jwtTokens: {
        type: 'array',
        items: { type: 'object', required: ['iat'], properties: { iat: whole, exp: whole, id: text } },
      },
    },
  },
}

const spec: JsonObject = {
  type: 'object',
  // What is not named here is kept as it is.
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    description: text,
    sourceRepos: texts,
    sourceNamespaces: texts,
    destinations: {
      type: 'array',
      items: { type: 'object', properties: { server: text, name: text, namespace: text } },
    },
    clusterResourceWhitelist: rules,
    clusterResourceBlacklist: rules,
    namespaceResourceWhitelist: rules,
    namespaceResourceBlacklist: rules,
    syncWindows,
    orphanedResources,
    permitOnlyProjectScopedClusters: {
      type: 'boolean',
      description: 'Whether only clusters that are described as those of this project may be deployed to.',
    },
    signatureKeys: {
      type: 'array',
      items: { type: 'object', required: ['keyID'], properties: { keyID: text } },
    },
    roles,
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
