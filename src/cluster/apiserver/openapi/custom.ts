// Component schemas of custom resources: the schema of the definition, with metadata, and the list of it.

import type { JsonObject } from '#objects'
import type { Served } from '../served.ts'

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** `com.example.v1.Widget` for group `example.com`. */
export const customSchemaName = (group: string, version: string, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`

const apiVersionText =
  'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources'
const kindText =
  'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds'

interface VersionSpec {
  readonly name: string
  readonly schema?: { readonly openAPIV3Schema?: JsonObject }
}

/** Schemas of one served version, by name. */
export function customSchemas(served: Served): Record<string, JsonObject> {
  const { info, custom } = served
  if (custom === undefined) return {}
  const spec = custom.definition['spec'] as unknown as { readonly versions?: readonly VersionSpec[] }
  const schema = spec.versions?.find(({ name }) => name === info.version)?.schema?.openAPIV3Schema ?? { type: 'object' }
  const { properties = {}, ...rest } = published(schema) as JsonObject & { readonly properties?: JsonObject }
  const name = customSchemaName(info.group, info.version, info.kind)
  const listName = customSchemaName(info.group, info.version, custom.listKind)
  const gvk = (kind: string) => [{ group: info.group, version: info.version, kind }]
  const typeMeta = {
    apiVersion: { description: apiVersionText, type: 'string' },
    kind: { description: kindText, type: 'string' },
  }
  return {
    [name]: {
      ...rest,
      properties: {
        ...properties,
        ...typeMeta,
        metadata: {
          description:
            "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
          allOf: [{ $ref: `#/components/schemas/${meta}.ObjectMeta` }],
        },
      },
      'x-kubernetes-group-version-kind': gvk(info.kind),
    },
    [listName]: {
      description: `${custom.listKind} is a list of ${info.kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...typeMeta,
        items: {
          description: `List of ${info.resource}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md`,
          type: 'array',
          items: { $ref: `#/components/schemas/${name}` },
        },
        metadata: {
          description:
            'Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
          allOf: [{ $ref: `#/components/schemas/${meta}.ListMeta` }],
        },
      },
      'x-kubernetes-group-version-kind': gvk(custom.listKind),
    },
  }
}

/** int-or-string fields say which types they take. */
function published(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(published)
  if (typeof schema !== 'object' || schema === null) return schema
  const out = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, published(value)]))
  if (out['x-kubernetes-int-or-string'] === true && out['anyOf'] === undefined)
    out['anyOf'] = [{ type: 'integer' }, { type: 'string' }]
  return out
}
