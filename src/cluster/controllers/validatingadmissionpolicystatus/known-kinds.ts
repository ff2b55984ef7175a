// The kinds that there are, built-in and custom: by resource, and what their objects look like.

import { builtInSchema, type CustomResourceDefinition, resourceTable, schemaOfCustomResource } from '#kinds'
import type { JsonObject, Schema } from '#objects'

export interface KnownKind {
  readonly group: string
  readonly version: string
  readonly kind: string
}

export interface KnownKinds {
  /** Served under the name of a resource. */
  readonly ofResource: (group: string, version: string, resource: string) => KnownKind | undefined
  readonly schemaOf: (kind: KnownKind) => Schema | undefined
}

export function knownKinds(definitions: readonly CustomResourceDefinition[]): KnownKinds {
  return {
    ofResource: (group, version, resource) => {
      const row = resourceTable.find(
        (one) => one.group === group && one.version === version && one.resource === resource,
      )
      const definition = definitions.find(({ spec }) => spec.group === group && spec.names.plural === resource)
      const kind = row?.kind ?? (servedVersion(definition, version) && definition?.spec.names.kind)
      return kind === undefined ? undefined : { group, version, kind }
    },
    schemaOf: ({ group, version, kind }) => {
      const builtIn = builtInSchema(group, version, kind)
      if (builtIn !== undefined) return builtIn
      const definition = definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind)
      const served = servedVersion(definition, version)
      return served && schemaOfCustomResource(served.schema?.openAPIV3Schema as JsonObject | undefined)
    },
  }
}

const servedVersion = (definition: CustomResourceDefinition | undefined, version: string) =>
  definition?.spec.versions.find(({ name, served }) => name === version && served)
