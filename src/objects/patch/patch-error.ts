// A patch that cannot be applied to the object, or is no patch at all. Texts are those of the libraries that Kubernetes
// uses; how the API server answers depends on `kind`.

import type { Json } from '../object.ts'

/** `malformed` is a bad request, `inapplicable` an unprocessable entity, `failed` an error of the server. */
export type PatchErrorKind = 'malformed' | 'inapplicable' | 'failed'

export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly kind: PatchErrorKind

  constructor(message: string, kind: PatchErrorKind = 'inapplicable') {
    super(message)
    this.kind = kind
  }
}

/** A JSON value as Go's `%v` shows it: `map[a:1 b:[x y]]`. */
export function goValueText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValueText).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  const fields = Object.entries(value as { readonly [key: string]: Json }).sort(([a], [b]) => (a < b ? -1 : 1))
  return `map[${fields.map(([key, entry]) => `${key}:${goValueText(entry)}`).join(' ')}]`
}
