// Which objects of a collection a request means: by label selector, field selector, or the name in a watch's path. The
// field that names one object (`metadata.name`) is told apart, so that it can be answered without a scan.

import { quote } from '#kinds'
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
  const { namespaced, selectableFields } = served.strategy
  const knowsNamespace = namespaced || selectableFields === undefined
  if (field === 'metadata.namespace' && knowsNamespace) return (object) => object.metadata.namespace ?? ''
  return selectableFields !== undefined && Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined
}

function unknownField({ strategy }: Served, field: string): Error {
  const anyKind = `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
  return badRequest(strategy.selectableFields === undefined ? anyKind : strategy.unknownField(field))
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
  const { name: asked } = scope.request
  const named = asked === undefined ? everything : onlyName(asked)
  if (labelText === '' && fieldText === '') return named
  const tests: ((object: AnyObject) => boolean)[] = named.matches === undefined ? [] : [named.matches]
  let { name } = named
  let namespace: string | undefined
  if (labelText !== '') {
    const selector = parsed(() => parseLabelSelector(labelText))
    tests.push((object) => matchesSelector(selector, object.metadata.labels))
  }
  const terms = fieldText === '' ? [] : parsed(() => parseFieldSelector(fieldText))
  for (const { field, operator, value } of terms) {
    const read = fieldReader(scope.served, field)
    if (read === undefined) throw unknownField(scope.served, field)
    const wanted = operator !== '!='
    if (wanted && field === 'metadata.name') name = value
    if (wanted && field === 'metadata.namespace') namespace = value
    tests.push((object) => (read(object) === value) === wanted)
  }
  const exact = terms.find(({ field, operator }) => field === 'metadata.name' && operator !== '!=')
  if (asked !== undefined && terms.length > 0 && exact?.value !== asked)
    throw badRequest("fieldSelector metadata.name doesn't match requested name")
  const [first] = tests
  const matches = tests.length === 1 ? first : (object: AnyObject) => tests.every((test) => test(object))
  return { filtered: true, name, namespace, matches }
}
