// Plain forms of what #objects is about to give: replaced, function by function, as they land there.

import type { ApiErrorParts } from '#api'
import type { AnyObject, ManagedFieldsEntry } from '#objects'

export const updateManagedFields = (write: {
  readonly managedFields: readonly ManagedFieldsEntry[]
}): readonly ManagedFieldsEntry[] => write.managedFields

type Applied =
  | { readonly type: 'applied'; readonly object: AnyObject; readonly managedFields: readonly ManagedFieldsEntry[] }
  | { readonly type: 'conflict'; readonly error: ApiErrorParts }

export function applyServerSide(_request: object): Applied {
  throw new Error('server-side apply has not landed')
}
