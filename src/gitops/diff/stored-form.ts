// An object in the form in which the API server would store it: types checked, canonical quantities, defaults filled in.
// For comparing without asking the cluster. Of custom resources, as far as a schema says it. Pure.

import { builtInSchema, kindRules } from '#kinds'
import {
  type AnyObject,
  applySchemaDefaults,
  DecodeError,
  decode,
  groupOf,
  isJsonMap,
  type Json,
  type Schema,
} from '#objects'
import { isSecret } from './secrets.ts'

/** The same object when it cannot be read as its kind says: the difference will show. */
export function storedForm(object: AnyObject, custom?: Schema): AnyObject {
  const group = groupOf(object.apiVersion)
  const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)
  const schema = builtInSchema(group, version, object.kind)
  if (schema === undefined) return custom === undefined ? object : applySchemaDefaults(object, custom)
  const rules = kindRules.find(
    ({ kind }) => kind.kind === object.kind && kind.group === group && kind.version === version,
  )
  const defaults = (rules?.defaults ?? ((same: AnyObject) => same)) as unknown as (decoded: AnyObject) => AnyObject
  try {
    const { value } = decode(withoutNullData(object), schema)
    return defaults(applySchemaDefaults(value, schema) as unknown as AnyObject)
  } catch (error) {
    if (error instanceof DecodeError) return object
    throw error
  }
}

/** A value of a Secret that is null is an empty one. */
function withoutNullData(object: AnyObject): AnyObject {
  const data = object['data'] as Json | undefined
  if (!isSecret(object) || data === undefined || !isJsonMap(data)) return object
  return {
    ...object,
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value ?? ''])),
  } as AnyObject
}
