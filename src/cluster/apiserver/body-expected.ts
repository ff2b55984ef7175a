// Which kind a body must hold, and how it gets its defaults.

import { builtInSchema } from '#kinds'
import type { AnyObject, Schema } from '#objects'
import { fromStored, type Served, toStored } from './served.ts'
import { unchanged } from './strategy.ts'

/** What a body must hold. */
export interface Expected {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly schema: Schema | undefined
  readonly isCustom: boolean
  readonly defaults: (object: AnyObject) => AnyObject
  /** Older versions of the same shape, which are taken as well. */
  readonly alsoAs?: readonly string[]
}

const expectations = new WeakMap<Served, Expected>()

/** The resource's own kind. */
export function expectedOf(served: Served): Expected {
  const known = expectations.get(served)
  if (known !== undefined) return known
  const { info, schema, strategy, custom } = served
  const { group, version, kind } = info
  const defaults =
    served.conversion === undefined || custom !== undefined || strategy.defaults === unchanged
      ? strategy.defaults
      : (object: AnyObject) => fromStored(served, strategy.defaults(toStored(served, object)))
  const made = { group, version, kind, schema, isCustom: custom !== undefined, defaults }
  expectations.set(served, made)
  return made
}

/** A built-in kind that is no resource of its own: Scale, Binding, Eviction, TokenRequest. */
export const expectedKind = (group: string, version: string, kind: string): Expected => ({
  group,
  version,
  kind,
  schema: builtInSchema(group, version, kind),
  isCustom: false,
  defaults: unchanged,
})
