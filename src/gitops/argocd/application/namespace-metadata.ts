// Labels and annotations for the namespace of an application (`managedNamespaceMetadata`). The namespace itself is not
// tracked, so what was asked for at the last sync tells whether another one owes it something.

import type { Application } from '#kinds'
import { isEqual } from '#objects'

/** The last sync did not put on what is asked for now. Before the first sync nothing is owed. */
export function owesNamespaceMetadata({ spec, status }: Application): boolean {
  const wanted = spec.syncPolicy?.managedNamespaceMetadata
  const result = status?.operationState?.syncResult
  return wanted !== undefined && result !== undefined && !isEqual(wanted, result.managedNamespaceMetadata)
}

/** What a sync notes of it. */
export const namespaceMetadataOf = ({ spec }: Application) => {
  const wanted = spec.syncPolicy?.managedNamespaceMetadata
  return wanted === undefined ? {} : { managedNamespaceMetadata: wanted }
}
