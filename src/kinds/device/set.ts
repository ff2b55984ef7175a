// Lists of resource.k8s.io, which have a greatest length and may have keys that are there once. Faults come in Kubernetes'
// order: those of the elements, then of their number, then of repeated keys.

import { duplicate, type FieldError, tooMany } from '../field-error.ts'

interface ListRules<T> {
  readonly path: string
  readonly max?: number
  readonly errors: FieldError[]
  /** What may be there once. */
  readonly key?: (element: T) => string
  /** The field that the key stands in, if it is not the element itself. */
  readonly field?: string
  /** How a repeated key is shown, if not as it is. */
  readonly shown?: unknown
}

export function checkSet<T>(
  list: readonly T[],
  { path, max = Number.POSITIVE_INFINITY, errors, key, field, shown }: ListRules<T>,
  check: (element: T, path: string, errors: FieldError[]) => void,
): void {
  list.forEach((element, i) => {
    check(element, `${path}[${i}]`, errors)
  })
  if (list.length > max) errors.push(tooMany(path, list.length, max))
  if (key === undefined) return
  const seen = new Set<string>()
  list.forEach((element, i) => {
    const own = key(element)
    const at = `${path}[${i}]`
    if (seen.has(own)) errors.push(duplicate(field === undefined ? at : `${at}.${field}`, shown ?? own))
    seen.add(own)
  })
}
