// Writes what a look has found into the Application: one patch for status, operation and annotations.

import { Application } from '#kinds'
import { mergePatchOf, objectKey } from '#objects'
import type { Kit } from '#reconcile'
import { refreshAnnotation } from '../application/names.ts'
import { finalizersOf } from '../deletion/hook-finalizers.ts'
import type { Memory } from '../observation/memory.ts'
import type { Observation } from '../observation/observe.ts'
import type { Advance } from '../operation/advance.ts'
import { isInProgress, withHistory } from '../operation/operation.ts'
import { orphanFindings } from '../orphans/orphans-of.ts'
import { tellChanges } from './events.ts'
import { comparedStatus, failedStatus } from './status.ts'

export interface Looked {
  readonly kit: Kit
  readonly app: Application
  readonly observation: Exclude<Observation, { readonly type: 'waiting' }>
  readonly next: Advance
  readonly refreshed: boolean
}

/** One patch for everything that changed; none when nothing did. Refused when someone else wrote meanwhile: then looked at again. */
export async function writeStatus(
  memory: Memory,
  { kit, app, observation, next, refreshed }: Looked,
): Promise<Application> {
  const input = { app, now: kit.world.clock.now(), refreshed }
  const status =
    observation.type === 'compared'
      ? comparedStatus(input, observation.comparison, [
          ...observation.comparison.findings,
          ...orphanFindings(memory.orphans, { app, ...observation, server: observation.destination.cluster.server }),
          ...next.findings,
        ])
      : failedStatus(input, [...observation.findings, ...next.findings])
  const { state } = next
  const hasEnded =
    state !== undefined &&
    state !== app.status?.operationState &&
    state.finishedAt !== undefined &&
    state.phase !== 'Running'
  const history = hasEnded ? withHistory(app, state) : app.status?.history
  const complete = {
    ...status,
    ...(state === undefined ? {} : { operationState: state }),
    ...(history === undefined ? {} : { history }),
  }
  const statusPatch = mergePatchOf(app.status, complete)
  const operationPatch = next.operation === app.operation ? undefined : (next.operation ?? null)
  const metadata = {
    ...(app.metadata.annotations?.[refreshAnnotation] === undefined
      ? {}
      : { annotations: { [refreshAnnotation]: null } }),
    ...(observation.type === 'compared' ? finalizersOf(app, observation) : {}),
  }
  if (statusPatch === undefined && operationPatch === undefined && Object.keys(metadata).length === 0) return app
  const { namespace = '', name = '', resourceVersion } = app.metadata
  const patch = {
    metadata: { resourceVersion, ...metadata },
    ...(statusPatch === undefined ? {} : { status: statusPatch }),
    ...(operationPatch === undefined ? {} : { operation: operationPatch }),
  }
  const written = await kit.client.patch(Application, { namespace, name }, patch, {
    type: 'application/merge-patch+json',
  })
  // Where nothing is to be synced, an operation that has just ended leaves nothing to be decided.
  const isLast =
    !isInProgress(state) && (state === app.status?.operationState || written.status?.sync?.status === 'Synced')
  memory.of(objectKey(app)).written = isLast ? written.metadata.resourceVersion : undefined
  tellChanges(kit, app, written)
  return written
}
