// RespectIgnoreDifferences=true: fields that an application does not want to hear about are not written either. The
// target takes the live object's values at the ignored places before it is applied. That it is from git cannot be ignored.

import { type IgnoreRule, keepTracking, keyOf, pointersOf, rulesFor } from '#gitops/diff'
import { type AnyObject, isJsonMap, type Json } from '#objects'
import type { IgnoredPaths } from './ignored-paths.ts'

export interface Pair {
  readonly target: AnyObject
  readonly live: AnyObject
}

/** The target to apply over `live`; the same object when nothing of it is ignored. */
export async function withLiveWhereIgnored(
  { target, live }: Pair,
  rules: readonly IgnoreRule[],
  ignored: IgnoredPaths,
): Promise<AnyObject> {
  const own = rulesFor(rules, keyOf(target))
  const pointers = pointersOf(own).map((pointer) =>
    pointer
      .split('/')
      .slice(1)
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
  const paths = await ignored.in(live, own)
  const merged = [...pointers, ...paths.map((path) => path.map(String))].reduce<Json>(
    (result, steps) => take(result, live as unknown as Json, steps),
    target as unknown as Json,
  ) as unknown as AnyObject
  return keepTracking(merged, target)
}

function take(target: Json | undefined, live: Json | undefined, steps: readonly string[]): Json {
  const [first, ...rest] = steps
  if (first === undefined) return live ?? null
  if (Array.isArray(target) && Array.isArray(live)) {
    const index = Number(first)
    const isThere = Number.isInteger(index) && index >= 0 && index < target.length && index < live.length
    return isThere
      ? target.map((each: Json, at: number) => (at === index ? take(each, live[index], rest) : each))
      : target
  }
  if (!isJsonMap(target) || !isJsonMap(live)) return target ?? null
  const there = live[first]
  if (there !== undefined && (rest.length === 0 || target[first] !== undefined))
    return { ...target, [first]: take(target[first], there, rest) }
  if (there !== undefined || rest.length > 0 || !(first in target)) return target
  const { [first]: _ignored, ...without } = target
  return without
}
