// Whether a value can be a patch of its type at all, with the texts of Go's decoder.

import { isJsonObject, type Json } from '../object.ts'

export type PatchKind = 'json' | 'merge' | 'strategic'

/** Why the value is no patch of the kind; undefined if it is one. */
export function patchFault(value: Json, kind: PatchKind): string | undefined {
  if (kind === 'json') return operationsFault(value)
  if (isJsonObject(value)) return undefined
  if (value !== null) return prefixed(kind, cannot(kindText(value), 'Go value of type map[string]interface {}'))
  return kind === 'merge' ? 'Invalid JSON Patch' : undefined
}

/** A JSON or merge patch that cannot be read says that it is about the patch. */
const prefixed = (kind: PatchKind, text: string): string =>
  kind === 'strategic' ? text : `error decoding patch: ${text}`

const cannot = (what: string, into: string): string => `json: cannot unmarshal ${what} into ${into}`

function kindText(value: Json): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

function operationsFault(value: Json): string | undefined {
  if (value === null) return undefined
  if (!Array.isArray(value)) return prefixed('json', cannot(kindText(value), 'Go value of type []handlers.jsonPatchOp'))
  for (const operation of value as readonly Json[]) {
    if (operation === null) continue
    if (!isJsonObject(operation))
      return prefixed('json', cannot(kindText(operation), 'Go value of type handlers.jsonPatchOp'))
    for (const field of ['op', 'path', 'from']) {
      const text = operation[field]
      if (text !== undefined && text !== null && typeof text !== 'string')
        return prefixed('json', cannot(kindText(text), `Go struct field jsonPatchOp.${field} of type string`))
    }
  }
  return undefined
}
