// How long an application is left alone after a look, whatever happens.

import { Application } from '#kinds'
import type { Memory } from '../observation/memory.ts'
import { isInProgress } from '../operation/operation.ts'

/** Applications with more objects than this are not looked at for every event of every object. */
const manyObjects = 500
const restMsPerObject = 0.1
const maxRestMs = 2000
/** A chart that looks up what its own sync changes would be rendered without end. */
const restMsOfLookups = 1000

/** A large application is left alone for a moment after a look, but not while it is being synced. */
export function restMs(memory: Memory, key: string): number {
  const objects = memory.find(key)?.comparison?.entries.length ?? 0
  const least = memory.lookups.has(key) ? restMsOfLookups : 0
  if (objects <= manyObjects && least === 0) return 0
  if (isInProgress(memory.cache?.get(Application, key)?.status?.operationState)) return 0
  return Math.max(least, Math.min((objects - manyObjects) * restMsPerObject, maxRestMs))
}
