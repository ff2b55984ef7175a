// One object of an application: what git wants (as the cluster would store it) against what is there. Pure.

import { type AnyObject, isEqual, isJsonMap, type JsonObject, type ManagedFieldsEntry, type Schema } from '#objects'
import { type Difference, findDifferences } from './differences.ts'
import {
  type IgnoreRule,
  pointersOf,
  type ValuePath,
  withoutManagers,
  withoutPaths,
  withoutPointers,
} from './ignore.ts'
import { normalise, withStatus } from './normalise.ts'
import { maskSecrets } from './secrets.ts'
import { type Ownership, withoutUnowned } from './unowned.ts'

export interface Comparison {
  readonly modified: boolean
  /** Secret values in them are masked. Empty when nothing differs. */
  readonly differences: readonly Difference[]
}

export interface ComparedStates {
  readonly live: AnyObject
  /** What `live` would become: the answer of a server-side apply dry run, or a three-way merge. */
  readonly predicted: AnyObject
  readonly ignore: readonly IgnoreRule[]
  /** What jq expressions among the rules mean in each of the two. */
  readonly ignoredPaths?: { readonly live: readonly ValuePath[]; readonly predicted: readonly ValuePath[] }
  readonly schema?: Schema
  /** Status counts too. */
  readonly withStatus?: boolean
  /** Of `live`; only needed for rules that name managers. */
  readonly managedFields?: readonly ManagedFieldsEntry[]
  /** Who owns what in the two: differences in fields of nobody do not count then. */
  readonly ownership?: Ownership
}

const same: Comparison = { modified: false, differences: [] }

export function compareStates(states: ComparedStates): Comparison {
  const pointers = pointersOf(states.ignore)
  const paths = states.ignoredPaths ?? { live: [], predicted: [] }
  const shape = states.withStatus === true ? withStatus : normalise
  const reduce = (object: AnyObject, of: readonly ValuePath[]): JsonObject =>
    withoutPaths(withoutPointers(shape(object), pointers), of)
  if (isEqual(reduce(states.live, paths.live), reduce(states.predicted, paths.predicted))) return same
  const [live, desired] = maskSecrets(states.live, states.predicted)
  const both = { live: reduce(live, paths.live), desired: reduce(desired, paths.predicted) }
  const found = findDifferences(both, states.schema)
  const owned = states.ownership === undefined ? found : withoutUnowned(found, states.ownership)
  const differences = withoutManagers(owned, states.ignore, states.managedFields ?? [])
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
