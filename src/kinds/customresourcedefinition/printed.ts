// Versions of a definition as Kubernetes' internal types print them in a message.

import type { CustomResourceDefinitionVersion, JSONSchemaProps } from '../generated/types.ts'
import { asGoStruct, goStruct } from '../go-struct.ts'
import { isSchemaObject, itemSchema, placeSchemas, valueSchema } from './schema-type.ts'

const schemaStruct = goStruct(
  'ID:id="" Schema:$schema="" Ref:$ref Description="" Type="" Nullable=false Format="" Title="" Default Maximum ' +
    'ExclusiveMaximum=false Minimum ExclusiveMinimum=false MaxLength MinLength Pattern="" MaxItems MinItems ' +
    'UniqueItems=false MultipleOf Enum MaxProperties MinProperties Required Items AllOf OneOf AnyOf Not Properties ' +
    'AdditionalProperties PatternProperties Dependencies AdditionalItems Definitions ExternalDocs Example ' +
    'XPreserveUnknownFields:x-kubernetes-preserve-unknown-fields XEmbeddedResource:x-kubernetes-embedded-resource=false ' +
    'XIntOrString:x-kubernetes-int-or-string=false XListMapKeys:x-kubernetes-list-map-keys ' +
    'XListType:x-kubernetes-list-type XMapType:x-kubernetes-map-type XValidations:x-kubernetes-validations',
)
const columnStruct = goStruct('Name="" Type="" Format="" Description="" Priority=0 JSONPath:jsonPath=""')
const selectableStruct = goStruct('JSONPath:jsonPath=""')
const scaleStruct = goStruct('SpecReplicasPath="" StatusReplicasPath="" LabelSelectorPath')
const subresourcesStruct = goStruct('Status Scale', { Scale: scaleStruct })
const versionStruct = goStruct(
  'Name="" Served=false Storage=false Deprecated=false DeprecationWarning Schema Subresources ' +
    'AdditionalPrinterColumns SelectableFields',
  { Subresources: subresourcesStruct, AdditionalPrinterColumns: columnStruct, SelectableFields: selectableStruct },
)

export function printedVersions(versions: readonly CustomResourceDefinitionVersion[]): readonly object[] {
  return versions.map((version) => {
    const schema = version.schema?.openAPIV3Schema
    const printed = asGoStruct(versionStruct, version)
    return schema === undefined ? printed : { ...printed, Schema: { OpenAPIV3Schema: printedSchema(schema) } }
  })
}

export function printedSchema(schema: JSONSchemaProps): object {
  const { properties, allOf, oneOf, anyOf, not, items, additionalProperties } = schema
  const list = (schemas: readonly JSONSchemaProps[] | undefined): readonly object[] | null =>
    schemas === undefined ? null : schemas.map(printedSchema)
  const one = (inner: JSONSchemaProps | undefined): object | null => (inner === undefined ? null : printedSchema(inner))
  const places = placeSchemas(schema)
  return {
    ...asGoStruct(schemaStruct, schema),
    AllOf: list(allOf),
    OneOf: list(oneOf),
    AnyOf: list(anyOf),
    Not: one(not),
    Items:
      items === undefined
        ? null
        : { Schema: one(itemSchema(schema)), JSONSchemas: places.length === 0 ? null : list(places) },
    Properties:
      properties === undefined
        ? null
        : Object.fromEntries(
            Object.entries(properties)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([name, inner]) => [name, printedSchema(inner)]),
          ),
    AdditionalProperties:
      additionalProperties === undefined
        ? null
        : {
            Allows: additionalProperties === true || isSchemaObject(additionalProperties),
            Schema: one(valueSchema(schema)),
          },
  }
}
