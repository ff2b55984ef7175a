// One object of an application: what git wants (as the cluster would store it) against what is there. Pure.

import { type AnyObject, isEqual, type JsonObject, type ManagedFieldsEntry, type Schema } from '#objects'
import { type Difference, findDifferences } from './differences.ts'
import { isJsonMap } from './field-path.ts'
import { type IgnoreRule, pointersOf, withoutManagers, withoutPointers } from './ignore.ts'
import { normalise } from './normalise.ts'
import { maskSecrets } from './secrets.ts'

export interface Comparison {
  readonly modified: boolean
  /** Secret values in them are masked. Empty when nothing differs. */
  readonly differences: readonly Difference[]
}

export interface ComparedStates {
  readonly live: AnyObject
  /** The answer of a server-side apply dry run on `live`. */
  readonly predicted: AnyObject
  readonly ignore: readonly IgnoreRule[]
  readonly schema?: Schema
  /** Of `live`; only needed for rules that name managers. */
  readonly managedFields?: readonly ManagedFieldsEntry[]
}

const same: Comparison = { modified: false, differences: [] }

export function compareStates(states: ComparedStates): Comparison {
  const pointers = pointersOf(states.ignore)
  const reduce = (object: AnyObject): JsonObject => withoutPointers(normalise(object), pointers)
  if (isEqual(reduce(states.live), reduce(states.predicted))) return same
  const [live, desired] = maskSecrets(states.live, states.predicted)
  const found = findDifferences({ live: reduce(live), desired: reduce(desired) }, states.schema)
  const differences = withoutManagers(found, states.ignore, states.managedFields ?? [])
  return differences.length === 0 ? same : { modified: true, differences }
}

/**
 * For a target that the cluster would refuse: the fields that git sets and that are not so in `live`. Says less than a dry
 * run (nothing of defaults, nothing of removed fields), but enough to see what was meant to change.
 */
export function compareDeclared(target: AnyObject, live: AnyObject, schema?: Schema): Comparison {
  const [shownLive, shownTarget] = maskSecrets(live, target)
  const found = findDifferences({ live: normalise(shownLive), desired: normalise(shownTarget) }, schema)
  const declared = found.flatMap((difference) => onlyDeclared(difference))
  return { modified: true, differences: declared }
}

function onlyDeclared(difference: Difference): readonly Difference[] {
  if (difference.desired === undefined) return []
  const { live, desired } = difference
  return isJsonMap(desired) && Object.keys(desired).length === 0 && live === undefined ? [] : [difference]
}
