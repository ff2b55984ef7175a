// Names the elements of associative lists: by their keys, with defaults, or by their value.

import { isJsonObject, type Json } from '../object.ts'
import { isList, type ListAtom } from './atom.ts'
import { goJson, valueElement } from './fields-v1.ts'

/** An element that has no name; the message is that of structured-merge-diff. */
export class ElementError extends Error {
  override readonly name = 'ElementError'
}

/** Throws an ElementError. */
export function elementName(list: ListAtom, value: Json): string {
  if (list.keys.length > 0) return keyedName(list, value)
  if (isJsonObject(value)) throw new ElementError("associative list without keys has an element that's a map type")
  if (isList(value)) throw new ElementError('not supported: associative list with lists as elements')
  if (value === null) throw new ElementError("associative list without keys has an element that's an explicit null")
  return valueElement(value)
}

function keyedName(list: ListAtom, value: Json): string {
  if (value === null) throw new ElementError('associative list with keys may not have a null element')
  if (!isJsonObject(value)) throw new ElementError('associative list with keys may not have non-map elements')
  let keys = ''
  for (const name of list.keys) {
    const given = value[name]
    const key = given === undefined ? list.keyDefaults.get(name) : given
    if (key !== undefined) keys += `${keys === '' ? '' : ','}${goJson(name)}:${goJson(key)}`
  }
  if (keys === '')
    throw new ElementError(
      `associative list with keys has an element that omits all key fields [${list.keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`,
    )
  return `k:{${keys}}`
}

/** The name of an element of a stored list; undefined for one without a name, which nobody can own. */
export function elementNameIfAny(list: ListAtom, value: Json): string | undefined {
  try {
    return elementName(list, value)
  } catch (error) {
    if (error instanceof ElementError) return undefined
    throw error
  }
}
