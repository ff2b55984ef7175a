// RespectIgnoreDifferences=true: fields that an application does not want to hear about are not written either. The
// target takes the live object's values at the ignored pointers before it is applied. Pure.

import { type IgnoreRule, keyOf, pointersOf, rulesFor } from '#gitops/diff'
import type { AnyObject, Json, JsonObject } from '#objects'

/** The target to apply over `live`; the same object when nothing of it is ignored. */
export function withLiveWhereIgnored(target: AnyObject, live: AnyObject, rules: readonly IgnoreRule[]): AnyObject {
  const pointers = pointersOf(rulesFor(rules, keyOf(target)))
  return pointers.reduce<Json>(
    (result, pointer) => {
      const steps = pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      return take(result, live as unknown as Json, steps)
    },
    target as unknown as Json,
  ) as unknown as AnyObject
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
  if (!isMap(target) || !isMap(live)) return target ?? null
  const there = live[first]
  if (there !== undefined && (rest.length === 0 || target[first] !== undefined))
    return { ...target, [first]: take(target[first], there, rest) }
  if (there !== undefined || rest.length > 0 || !(first in target)) return target
  const { [first]: _ignored, ...without } = target
  return without
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
