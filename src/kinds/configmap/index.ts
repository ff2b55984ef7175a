// ConfigMap (v1): keys, size, and immutability once it is asked for.

import { isEqual } from '#objects'
import { type FieldError, forbidden, invalid, tooLong } from '../field-error.ts'
import { ConfigMap } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { byteLength, configMapKey } from '../metadata/formats.ts'
import { ageColumn, nameColumn, text } from '../table/columns.ts'
import { base64Bytes, maxDataBytes } from './data-size.ts'

function validate({ data = {}, binaryData = {} }: ConfigMap): readonly FieldError[] {
  const errors: FieldError[] = []
  let bytes = 0
  for (const [key, value] of Object.entries(data)) {
    for (const fault of configMapKey(key)) errors.push(invalid(`data[${key}]`, key, fault))
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    bytes += byteLength(value)
  }
  for (const [key, value] of Object.entries(binaryData)) {
    for (const fault of configMapKey(key)) errors.push(invalid(`binaryData[${key}]`, key, fault))
    bytes += base64Bytes(value)
  }
  if (bytes > maxDataBytes) errors.push(tooLong('[]', maxDataBytes))
  return errors
}

const immutable = 'field is immutable when `immutable` is set'

function validateUpdate(map: ConfigMap, old: ConfigMap): readonly FieldError[] {
  const errors: FieldError[] = []
  if (old.immutable === true) {
    if (map.immutable !== true) errors.push(forbidden('immutable', immutable))
    if (!isEqual(map.data ?? {}, old.data ?? {})) errors.push(forbidden('data', immutable))
    if (!isEqual(map.binaryData ?? {}, old.binaryData ?? {})) errors.push(forbidden('binaryData', immutable))
  }
  return [...errors, ...validate(map)]
}

export const configMapRules: KindRules<ConfigMap> = {
  kind: ConfigMap,
  metaOnUpdate: 'um',
  generation: 'none',
  validate,
  validateUpdate,
  columns: [
    nameColumn,
    text(
      'Data',
      "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.",
      ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
    ),
    ageColumn,
  ],
}
