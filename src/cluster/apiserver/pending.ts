// Plain forms of what #objects is about to give: replaced, function by function, as they land there.

import type { ApiErrorParts } from '#api'
import type { AnyObject, Json, ManagedFieldsEntry, Schema } from '#objects'

type Values = Record<string, unknown>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function mergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) return patch
  const out: Record<string, Json> = isObject(target) ? { ...(target as Record<string, Json>) } : {}
  for (const [key, value] of Object.entries(patch as Record<string, Json>)) {
    if (value === null) delete out[key]
    else out[key] = mergePatch(out[key] ?? null, value)
  }
  return out
}

interface Operation {
  readonly op: string
  readonly path: string
  readonly value?: Json
}

export function jsonPatch(document: Json, operations: Json): Json {
  return (operations as unknown as readonly Operation[]).reduce(
    (now, operation) => applyOperation(now, operation),
    document,
  )
}

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~')

function applyOperation(
  node: Json,
  operation: Operation,
  path = operation.path.split('/').slice(1).map(unescapeToken),
): Json {
  const [head, ...rest] = path
  if (head === undefined) return operation.value ?? null
  if (Array.isArray(node)) {
    const copy = [...node] as Json[]
    const at = head === '-' ? copy.length : Number(head)
    if (rest.length > 0) copy[at] = applyOperation(copy[at] ?? null, operation, rest)
    else if (operation.op === 'remove') copy.splice(at, 1)
    else copy.splice(at, operation.op === 'replace' ? 1 : 0, operation.value ?? null)
    return copy
  }
  const copy: Record<string, Json> = isObject(node) ? { ...(node as Record<string, Json>) } : {}
  if (rest.length > 0) copy[head] = applyOperation(copy[head] ?? {}, operation, rest)
  else if (operation.op === 'remove') delete copy[head]
  else copy[head] = operation.value ?? null
  return copy
}

export const strategicMergePatch = (target: Json, patch: Json, _schema: Schema): Json => mergePatch(target, patch)

export const updateManagedFields = (write: {
  readonly managedFields: readonly ManagedFieldsEntry[]
}): readonly ManagedFieldsEntry[] => write.managedFields

type Applied =
  | { readonly type: 'applied'; readonly object: AnyObject; readonly managedFields: readonly ManagedFieldsEntry[] }
  | { readonly type: 'conflict'; readonly error: ApiErrorParts }

export function applyServerSide(_request: object): Applied {
  throw new Error('server-side apply has not landed')
}
