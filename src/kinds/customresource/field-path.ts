// Where a rule says that its fault is (fieldPath): fields and keys of maps that the schema knows, as `.spec.size` or
// `.labels['a.b']`.

import type { JsonObject } from '#objects'
import { isObject } from './correlate.ts'

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/

/** The path as errors name it; undefined when it leads nowhere. */
export function resolveFieldPath(schema: JsonObject, text: string): string | undefined {
  let here = schema
  let [path, rest] = ['', text]
  while (rest !== '') {
    const match = step.exec(rest)
    if (match === null) return undefined
    const name = match[1] ?? (match[2] ?? '').replace(/\\(.)/g, '$1')
    const { properties, additionalProperties } = here
    const next = isObject(properties) ? properties[name] : additionalProperties
    if (!isObject(next)) return undefined
    path += isObject(properties) ? `.${name}` : `[${name}]`
    here = next
    rest = rest.slice(match[0].length)
  }
  return path
}
