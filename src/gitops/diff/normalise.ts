// An object reduced to what may differ between git and the cluster: without what the server keeps for itself and without
// status. Both sides of a comparison come from the API server (one is a dry run), so nothing else needs smoothing.

import type { AnyObject, Json, JsonObject } from '#objects'

const serverFields: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
])

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'

const results = new WeakMap<AnyObject, JsonObject>()

export function normalise(object: AnyObject): JsonObject {
  const known = results.get(object)
  if (known !== undefined) return known
  const { status: _status, metadata, ...rest } = object
  const kept: Record<string, Json> = {}
  for (const [field, value] of Object.entries(metadata)) {
    if (serverFields.has(field) || value === undefined) continue
    kept[field] = field === 'annotations' ? withoutLastApplied(value as JsonObject) : (value as Json)
  }
  const result = { ...(rest as unknown as JsonObject), metadata: kept }
  results.set(object, result)
  return result
}

/** The same, where git says what the status shall be. */
export const withStatus = (object: AnyObject): JsonObject => {
  const status = object['status'] as Json | undefined
  return status === undefined ? normalise(object) : { ...normalise(object), status }
}

/** What kubectl notes for itself is a copy of the object, not a part of it. */
function withoutLastApplied(annotations: JsonObject): JsonObject {
  if (!(lastAppliedAnnotation in annotations)) return annotations
  const { [lastAppliedAnnotation]: _note, ...rest } = annotations
  return rest
}
