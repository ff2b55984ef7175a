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

const metadataText =
  "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
const objectMeta = {
  description: metadataText,
  allOf: [{ $ref: `#/components/schemas/${meta}.ObjectMeta` }],
}

interface VersionSpec {
  readonly name: string
  readonly schema?: { readonly openAPIV3Schema?: JsonObject }
  readonly selectableFields?: readonly { readonly jsonPath: string }[]
}

/** Schemas of one served version, by name. */
export function customSchemas(served: Served): Record<string, JsonObject> {
  const { info, custom } = served
  if (custom === undefined) return {}
  const spec = custom.definition['spec'] as unknown as { readonly versions?: readonly VersionSpec[] }
  const version = spec.versions?.find(({ name }) => name === info.version)
  const schema = version?.schema?.openAPIV3Schema
  const name = customSchemaName(info.group, info.version, info.kind)
  const listName = customSchemaName(info.group, info.version, custom.listKind)
  const extensions = (kind: string): JsonObject => ({
    'x-kubernetes-group-version-kind': [{ group: info.group, version: info.version, kind }],
    ...(version?.selectableFields === undefined
      ? {}
      : {
          'x-kubernetes-selectable-fields': version.selectableFields.map(({ jsonPath }) => ({
            fieldPath: jsonPath.replace(/^\./, ''),
          })),
        }),
  })
  const typeMeta = {
    apiVersion: { description: apiVersionText, type: 'string' },
    kind: { description: kindText, type: 'string' },
  }
  return {
    // Without a schema nothing is told of fields, which clients would take for all that there may be.
    [name]: {
      ...(schema === undefined ? { type: 'object' } : withMetadata(published(schema), typeMeta)),
      ...extensions(info.kind),
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
      ...extensions(custom.listKind),
    },
  }
}

const withMetadata = (schema: JsonObject, typeMeta: JsonObject): JsonObject => ({
  ...schema,
  properties: { ...(schema['properties'] as JsonObject | undefined), ...typeMeta, metadata: objectMeta },
})

const embedded: JsonObject = {
  apiVersion: {
    description:
      'apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
    type: 'string',
  },
  kind: {
    description:
      'kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
    type: 'string',
  },
}

/** int-or-string fields say which types they take, embedded resources that they have names and kinds. */
function published(schema: JsonObject): JsonObject {
  const { properties, items, additionalProperties, ...rest } = schema
  const out: Record<string, unknown> = { ...rest }
  if (isSchema(properties))
    out['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, published(property as JsonObject)]),
    )
  if (items !== undefined) out['items'] = isSchema(items) ? published(items) : items
  if (additionalProperties !== undefined)
    out['additionalProperties'] = isSchema(additionalProperties)
      ? published(additionalProperties)
      : additionalProperties
  if (out['x-kubernetes-int-or-string'] === true && out['anyOf'] === undefined)
    out['anyOf'] = [{ type: 'integer' }, { type: 'string' }]
  if (out['x-kubernetes-embedded-resource'] !== true) return out as JsonObject
  const required = (out['required'] as readonly string[] | undefined) ?? []
  const missing = ['kind', 'apiVersion'].filter((name) => !required.includes(name))
  return { ...withMetadata(out as JsonObject, embedded), required: [...required, ...missing] }
}

const isSchema = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
