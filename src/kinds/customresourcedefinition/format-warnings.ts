// Warnings for the formats of a definition's schemas that Kubernetes does not know: they are kept, and never checked.

import { quote } from '../field-error.ts'
import type { CustomResourceDefinition, JSONSchemaProps } from '../generated/types.ts'

const known = new Set(
  [
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13',
    'creditcard ssn hexcolor rgbcolor byte password date duration datetime',
  ].flatMap((line) => line.split(' ')),
)

/** Whatever stands in the place of a schema, a list or a map of schemas. */
function gather(value: unknown, formats: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  const { format, items, allOf, anyOf, oneOf, not, properties, additionalProperties } = value as JSONSchemaProps
  if (format && !known.has(format.replaceAll('-', ''))) formats.add(format)
  for (const one of [items, allOf, anyOf, oneOf].flat()) gather(one, formats)
  gather(not, formats)
  for (const property of Object.values(properties ?? {})) gather(property, formats)
  gather(additionalProperties, formats)
}

function unknownFormats({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  const formats = new Set<string>()
  for (const { schema } of spec.versions ?? []) gather(schema?.openAPIV3Schema, formats)
  return formats
}

/** An update is warned of those that the definition did not have. */
export function formatWarnings(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): readonly string[] {
  const before = old === undefined ? new Set<string>() : unknownFormats(old)
  return [...unknownFormats(definition)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${quote(format)}`)
}
