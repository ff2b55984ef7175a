// The fault of a text that should be a JSON object, in the words of Go's decoder.

import { type Json, parseJson, SyntaxFault } from '#objects'

export function jsonObjectFault(text: string): string | undefined {
  let value: Json
  try {
    value = parseJson(text).value
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message
    throw error
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
}
