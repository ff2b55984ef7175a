// FieldsV1, the JSON form of field sets: `{"f:metadata": {"f:labels": {".": {}, "f:app": {}}}}`. A node without anything
// below it, or with `.`, is in the set. A set keeps its form once it was made.

import { isJsonObject, type Json, type JsonObject } from '../object.ts'
import { emptySet, type FieldSet, isEmptySet, type Path } from './field-set.ts'

/** A FieldsV1 that cannot be read. */
export class FieldsError extends Error {
  override readonly name = 'FieldsError'
}

/** Throws a FieldsError. */
export const decodeFields = (fields: JsonObject): FieldSet => decodeNode(fields)

export const encodeFields = (set: FieldSet): JsonObject => set.encoded ?? encodeNode(set)

function decodeNode(fields: JsonObject): FieldSet {
  const members = new Set<string>()
  const children = new Map<string, FieldSet>()
  for (const key in fields) {
    const value = fields[key]
    if (key === '.' || value === undefined) continue
    if (!isJsonObject(value)) throw new FieldsError(`error decoding set: ${key} is not an object`)
    const element = canonicalElement(key)
    const child = decodeNode(value)
    if (isEmptySet(child) || Object.hasOwn(value, '.')) members.add(element)
    if (!isEmptySet(child)) children.set(element, child)
  }
  return members.size === 0 && children.size === 0 ? emptySet : { members, children }
}

const empty: JsonObject = {}

function encodeNode(set: FieldSet): JsonObject {
  const { members, children } = set
  const names = [...members]
  for (const element of children.keys()) if (!members.has(element)) names.push(element)
  const out: Record<string, Json> = {}
  for (const element of names.sort()) {
    const child = children.get(element)
    const below = child === undefined ? empty : (child.encoded ?? encodeNode(child))
    out[element] = child !== undefined && members.has(element) ? { '.': empty, ...below } : below
  }
  set.encoded = out
  return out
}

/** An element in the one form that it is compared in. */
function canonicalElement(text: string): string {
  if (text.startsWith('f:')) return text
  const value = text.slice(2)
  try {
    if (text.startsWith('k:')) return keyElement(Object.entries(JSON.parse(value) as Record<string, Json>))
    if (text.startsWith('v:')) return valueElement(JSON.parse(value) as Json)
  } catch {
    throw new FieldsError(`error decoding set: ${text}`)
  }
  if (/^i:[0-9]+$/.test(text)) return text
  throw new FieldsError(text[1] === ':' ? 'unknown path element type' : `missing colon: ${text}`)
}

export const fieldElement = (name: string): string => `f:${name}`

function keyElement(keys: readonly (readonly [string, Json])[]): string {
  const sorted = [...keys].sort(([a], [b]) => (a < b ? -1 : 1))
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`
}

export const valueElement = (value: Json): string => `v:${goJson(value)}`

/** JSON as Go writes it: with what means something to HTML escaped. */
export function goJson(value: Json): string {
  const text = JSON.stringify(value)
  return /[<>&\u2028\u2029]/.test(text)
    ? text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
}

/** A path as people read it: `.spec.containers[name="a"].image`. */
export const pathText = (path: Path): string => path.map(elementText).join('')

export function elementText(element: string): string {
  const value = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${value}`
    case 'k': {
      const keys = Object.entries(JSON.parse(value) as Record<string, Json>)
      return `[${keys.map(([name, key]) => `${name}=${JSON.stringify(key)}`).join(',')}]`
    }
    case 'v':
      return `[=${JSON.stringify(JSON.parse(value))}]`
    default:
      return `[${value}]`
  }
}
