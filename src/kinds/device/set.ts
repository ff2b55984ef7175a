// Lists of resource.k8s.io, which have a greatest length and may have keys that are there once.

import { duplicate, type FieldError, tooMany } from '../field-error.ts'

interface ListRules<T> {
  readonly path: string
  readonly max: number
  readonly errors: FieldError[]
  /** What may be there once. */
  readonly key?: (element: T) => string
  /** The field that the key stands in, if it is not the element itself. */
  readonly field?: string
}

export function checkSet<T>(
  list: readonly T[],
  { path, max, errors, key, field }: ListRules<T>,
  check: (element: T, path: string, errors: FieldError[]) => void,
): void {
  if (list.length > max) errors.push(tooMany(path, list.length, max))
  const seen = new Set<string>()
  list.forEach((element, i) => {
    const at = `${path}[${i}]`
    check(element, at, errors)
    const own = key?.(element)
    if (own === undefined) return
    if (seen.has(own)) errors.push(duplicate(field === undefined ? at : `${at}.${field}`, own))
    seen.add(own)
  })
}
