// Which objects of a collection a request means: by label selector, field selector, or the name in a watch's path. The
// field that names one object (`metadata.name`) is told apart, so that it can be answered without a scan.

import { type AnyObject, matchesSelector, parseFieldSelector, parseLabelSelector, SelectorError } from '#objects'
import { badRequest } from './errors.ts'
import type { Scope } from './scope.ts'
import type { Served } from './served.ts'

export interface Selection {
  /** True when a selector was given: then a list says nothing of how many items remain. */
  readonly filtered: boolean
  /** Set when only this name can match. */
  readonly name: string | undefined
  /** Set when only this namespace can match, although all were asked for. */
  readonly namespace: string | undefined
  /** Takes objects in the form that rules see; undefined matches all. */
  readonly matches: ((object: AnyObject) => boolean) | undefined
}

type FieldReader = (object: AnyObject) => string

function fieldReader(served: Served, field: string): FieldReader | undefined {
  if (field === 'metadata.name') return (object) => object.metadata.name ?? ''
  if (field === 'metadata.namespace') return (object) => object.metadata.namespace ?? ''
  return served.strategy.selectableFields[field]
}

function unknownField(served: Served, field: string): Error {
  const known = Object.keys(served.strategy.selectableFields)
  if (known.length > 0) {
    return badRequest(`field label not supported: ${field}`)
  }
  const names = ['metadata.name', 'metadata.namespace', ...known].map((name) => JSON.stringify(name)).join(', ')
  return badRequest(`${JSON.stringify(field)} is not a known field selector: only ${names}`)
}

const everything: Selection = { filtered: false, name: undefined, namespace: undefined, matches: undefined }

function onlyName(name: string): Selection {
  return { filtered: true, name, namespace: undefined, matches: (object) => object.metadata.name === name }
}

/** Refused selectors carry the parser's own text. */
function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error
  }
}

export function selectionOf(scope: Scope): Selection {
  const labelText = scope.query('labelSelector') ?? ''
  const fieldText = scope.query('fieldSelector') ?? ''
  const named = scope.request.name === undefined ? everything : onlyName(scope.request.name)
  if (labelText === '' && fieldText === '') return named
  const tests: ((object: AnyObject) => boolean)[] = named.matches === undefined ? [] : [named.matches]
  let { name } = named
  let namespace: string | undefined
  if (labelText !== '') {
    const selector = parsed(() => parseLabelSelector(labelText))
    tests.push((object) => matchesSelector(selector, object.metadata.labels))
  }
  for (const { field, operator, value } of fieldText === '' ? [] : parsed(() => parseFieldSelector(fieldText))) {
    const read = fieldReader(scope.served, field)
    if (read === undefined) throw unknownField(scope.served, field)
    const wanted = operator !== '!='
    if (wanted && field === 'metadata.name') name = value
    if (wanted && field === 'metadata.namespace') namespace = value
    tests.push((object) => (read(object) === value) === wanted)
  }
  const [first] = tests
  const matches = tests.length === 1 ? first : (object: AnyObject) => tests.every((test) => test(object))
  return { filtered: true, name, namespace, matches }
}
