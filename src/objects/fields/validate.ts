// Checks that an applied configuration fits its schema and names every list element once: what server-side apply refuses
// before it merges anything, in the words of structured-merge-diff.

import { isJsonObject, type Json } from '../object.ts'
import { goValueText } from '../patch/patch-error.ts'
import { type Atom, deduce, fieldAtom, isList, type ListAtom, type MapAtom, type ScalarAtom } from './atom.ts'
import { elementText } from './fields-v1.ts'
import { ElementError, elementName } from './list-element.ts'

/** The faults of the value as one text; undefined if there is none. */
export function faultsOf(value: Json, atom: Atom): string | undefined {
  const faults: string[] = []
  validate(value, atom, { path: '', faults })
  if (faults.length <= 1) return faults[0]
  return ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n')
}

interface Place {
  readonly path: string
  readonly faults: string[]
}

const report = ({ path, faults }: Place, text: string): void => {
  faults.push(path === '' ? text : `${path}: ${text}`)
}

const below = ({ path, faults }: Place, element: string): Place => ({ path: path + element, faults })

function validate(value: Json, atom: Atom, place: Place): void {
  const { map, scalar, list } = deduce(atom, value)
  if (map !== undefined) validateMap(value, map, place)
  else if (scalar !== undefined) validateScalar(value, scalar, place)
  else if (list !== undefined) validateList(value, list, place)
}

function validateMap(value: Json, map: MapAtom, place: Place): void {
  if (value === null) return
  if (!isJsonObject(value)) {
    report(place, `expected map, got ${shown(value)}`)
    return
  }
  for (const key in value) {
    const entry = value[key]
    if (entry === undefined) continue
    const at = below(place, `.${key}`)
    const atom = fieldAtom(map, key)
    if (atom === undefined) {
      report(at, 'field not declared in schema')
      return
    }
    validate(entry, atom, at)
  }
}

function validateList(value: Json, list: ListAtom, place: Place): void {
  if (value === null) return
  if (!isList(value)) {
    report(place, `expected list, got ${shown(value)}`)
    return
  }
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    let element = `[${index}]`
    if (!list.atomic) {
      const name = nameOrFault(list, item)
      if ('fault' in name) {
        report(place, `element ${index}: ${name.fault}`)
        return
      }
      element = elementText(name.name)
      if (seen.has(name.name)) report(place, `duplicate entries for key ${element}`)
      seen.add(name.name)
    }
    validate(item, list.element, below(place, element))
  }
}

function nameOrFault(list: ListAtom, item: Json): { readonly name: string } | { readonly fault: string } {
  try {
    return { name: elementName(list, item) }
  } catch (error) {
    if (error instanceof ElementError) return { fault: error.message }
    throw error
  }
}

function validateScalar(value: Json, scalar: ScalarAtom, place: Place): void {
  if (value === null) return
  const type = isJsonObject(value) || isList(value) ? 'container' : typeof value
  switch (scalar) {
    case 'numeric':
      if (type !== 'number') report(place, `expected numeric (int or float), got ${goType(value)}`)
      return
    case 'string':
      if (type !== 'string') report(place, `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`)
      return
    case 'boolean':
      if (type !== 'boolean') report(place, `expected boolean, got ${shown(value)}`)
      return
    case 'untyped':
      if (type === 'container') report(place, `expected any scalar, got ${shown(value)}`)
  }
}

/** The Go type that JSON decodes to. */
function goType(value: Json): string {
  if (isJsonObject(value)) return 'map[string]interface {}'
  if (isList(value)) return '[]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

/** A value as Go's `%#v` shows it. */
function goSyntax(value: Json): string {
  if (isJsonObject(value))
    return `map[string]interface {}{${Object.entries(value)
      .map(([key, entry]) => `${JSON.stringify(key)}:${goSyntax(entry)}`)
      .join(', ')}}`
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  return value === null ? 'interface {}(nil)' : JSON.stringify(value)
}

/** A value as Go's `%v` shows one wrapped by structured-merge-diff. */
const shown = (value: Json): string => `&{${goValueText(value)}}`
