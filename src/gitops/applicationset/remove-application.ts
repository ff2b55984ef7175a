// Deletes one Application of a set. Where the set keeps resources (`preserveResourcesOnDeletion`), the finalizer that would take
// them along goes first: it may still be there from before the set said so.

import { Application, type ApplicationSet, resourcesFinalizer } from '#kinds'
import type { Kit } from '#reconcile'

export async function removeApplication(kit: Kit, set: ApplicationSet, { metadata }: Application): Promise<void> {
  const { namespace = '', name = '', uid = '', resourceVersion, finalizers = [] } = metadata
  const ref = { namespace, name }
  if (keepsResources(set) && finalizers.includes(resourcesFinalizer)) {
    const rest = finalizers.filter((each) => each !== resourcesFinalizer)
    const patch = { metadata: { resourceVersion, finalizers: rest } }
    await kit.client.patch(Application, ref, patch, { type: 'application/merge-patch+json' })
  }
  await kit.client.delete(Application, ref, { preconditions: { uid } })
}

/** A template that asks for finalizers by name means them. */
const keepsResources = ({ spec: { syncPolicy, template } }: ApplicationSet): boolean =>
  syncPolicy?.preserveResourcesOnDeletion === true && (template.metadata?.finalizers ?? []).length === 0
