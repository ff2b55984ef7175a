// Paths to fields, as people read them (`spec.template.spec.containers[name=web].image`), as RFC 6901 pointers, and as
// managedFields spell them. Pure.

import type { JsonObject } from '#objects'

export type PathStep =
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  /** An element of a list that is a map: its key fields, and where it stands in the live list (or the desired one). */
  | { readonly type: 'key'; readonly keys: JsonObject; readonly index: number }

export type FieldPath = readonly PathStep[]

export function pathText(path: FieldPath): string {
  let text = ''
  for (const step of path) {
    if (step.type === 'index') text += `[${step.index}]`
    else if (step.type === 'key') text += `[${keysText(step.keys)}]`
    else if (/^[A-Za-z0-9_$-]+$/.test(step.name)) text += text === '' ? step.name : `.${step.name}`
    else text += `[${step.name}]`
  }
  return text
}

const keysText = (keys: JsonObject): string =>
  Object.entries(keys)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(',')

export const pathPointer = (path: FieldPath): string =>
  path
    .map((step) => `/${step.type === 'field' ? step.name.replaceAll('~', '~0').replaceAll('/', '~1') : step.index}`)
    .join('')

/** The step as a key of FieldsV1. */
export function fieldsKey(step: PathStep): string {
  if (step.type === 'field') return `f:${step.name}`
  if (step.type === 'index') return `i:${step.index}`
  const sorted = Object.fromEntries(Object.entries(step.keys).sort(([a], [b]) => (a < b ? -1 : 1)))
  return `k:${JSON.stringify(sorted)}`
}
