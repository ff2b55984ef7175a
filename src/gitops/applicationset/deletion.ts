// How the Applications of a set go when it is deleted: with their owner, or step by step backwards. The set is kept by its
// finalizer until the steps are gone; the garbage collector takes the rest.
// Reads: Applications.  Writes: deletes of Applications; their ownerReferences; the set's finalizer.

import { isConflict, isNotFound } from '#api'
import { Application, ApplicationSet, resourcesFinalizer } from '#kinds'
import { done, hasFinalizer, isTerminating, type Kit, type Outcome, removeFinalizer, requeueAfter } from '#reconcile'
import { removeApplication } from './remove-application.ts'
import { deletesInReverse, stepsOf } from './rollout/steps.ts'

const lookAgainMs = 10_000

export async function deleteSet(kit: Kit, set: ApplicationSet): Promise<Outcome> {
  if (!hasFinalizer(set, resourcesFinalizer)) return done()
  const owned = kit.cache.ownedBy(Application, set.metadata.uid ?? '')
  const policy = set.spec.syncPolicy?.applicationsSync ?? 'sync'
  if (policy === 'create-only' || policy === 'create-update') {
    for (const application of owned) await disown(kit, set, application)
  } else if (deletesInReverse(set)) {
    const last = lastStep(set, owned)
    for (const application of last) if (!isTerminating(application)) await remove(kit, set, application)
    if (last.length > 0) return requeueAfter(lookAgainMs)
  }
  try {
    await removeFinalizer(kit.client, ApplicationSet, set, resourcesFinalizer)
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  return done()
}

/** The Applications of the last step that still has any. */
function lastStep(set: ApplicationSet, owned: readonly Application[]): readonly Application[] {
  const { stepOf } = stepsOf(set, owned)
  const steps = owned.flatMap(({ metadata }) => stepOf(metadata.name ?? '') ?? [])
  const last = Math.max(...steps)
  return owned.filter(({ metadata }) => stepOf(metadata.name ?? '') === last)
}

async function remove(kit: Kit, set: ApplicationSet, application: Application): Promise<void> {
  try {
    await removeApplication(kit, set, application)
  } catch (error) {
    // Gone, or another one by now: looked at again.
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}

/** A policy that deletes nothing holds for the end of the set too. */
async function disown(kit: Kit, set: ApplicationSet, { metadata }: Application): Promise<void> {
  const { namespace = '', name = '', resourceVersion, ownerReferences = [] } = metadata
  const others = ownerReferences.filter(({ uid }) => uid !== set.metadata.uid)
  const patch = { metadata: { resourceVersion, ownerReferences: others } }
  try {
    await kit.client.patch(Application, { namespace, name }, patch, { type: 'application/merge-patch+json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
