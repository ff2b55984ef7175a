// What strict validation finds in the text of a patch itself: keys that it repeats and, in JSON patches, fields that an
// operation does not have.

import { isJsonObject, type Json } from '../object.ts'
import type { ParsedText } from '../text/parsed.ts'

const operationFields = new Set(['op', 'path', 'from', 'value'])

/** Texts as `duplicate field "data.a"`, in the order of the text. */
export function patchStrictErrors(parsed: ParsedText): readonly string[] {
  const errors: string[] = []
  if (!Array.isArray(parsed.value)) {
    if (parsed.duplicateKeys.size > 0) repeatedKeys(parsed.value, { parsed, path: '', errors })
    return errors
  }
  for (const [index, operation] of (parsed.value as readonly Json[]).entries()) {
    if (!isJsonObject(operation)) continue
    for (const key in operation) {
      const name = `[${index}].${key}`
      if (parsed.duplicateKeys.get(operation)?.includes(key) === true)
        errors.push(`json patch duplicate field "${name}"`)
      if (!operationFields.has(key)) errors.push(`json patch unknown field "${name}"`)
    }
  }
  return errors
}

interface Place {
  readonly parsed: ParsedText
  readonly path: string
  readonly errors: string[]
}

function repeatedKeys(value: Json | undefined, place: Place): void {
  const { parsed, path, errors } = place
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly Json[]).entries())
      repeatedKeys(item, { ...place, path: `${path}[${index}]` })
    return
  }
  if (!isJsonObject(value)) return
  for (const key in value) {
    const at = path === '' ? key : `${path}.${key}`
    if (parsed.duplicateKeys.get(value)?.includes(key) === true) errors.push(`duplicate field "${at}"`)
    repeatedKeys(value[key], { ...place, path: at })
  }
}
