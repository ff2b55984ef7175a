// Events on an Application, in Argo CD's reasons and words: what its operation did, and when its state changed.

import type { Application } from '#kinds'
import { type Kit, recordEvent } from '#reconcile'
import { revisionText } from '../application/source-set.ts'

export function tellChanges(kit: Kit, before: Application, after: Application): void {
  const tell = (reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void =>
    recordEvent(kit, { object: after, type, reason, message })
  tellOperation(before, after, tell)
  const sync = [before.status?.sync?.status ?? '', after.status?.sync?.status ?? ''] as const
  if (sync[0] !== sync[1]) tell('ResourceUpdated', `Updated sync status: ${sync[0]} -> ${sync[1]}`)
  const health = [before.status?.health?.status ?? '', after.status?.health?.status ?? ''] as const
  if (health[0] !== health[1]) tell('ResourceUpdated', `Updated health status: ${health[0]} -> ${health[1]}`)
}

function tellOperation(
  before: Application,
  after: Application,
  tell: (reason: string, message: string, type?: 'Warning') => void,
): void {
  const [was, is] = [before.status?.operationState, after.status?.operationState]
  if (is === undefined || was === is) return
  const { sync, initiatedBy } = is.operation
  const isNew =
    was === undefined ||
    was.startedAt !== is.startedAt ||
    (was.finishedAt !== undefined && is.finishedAt === undefined && was.phase !== 'Running')
  if (isNew && is.phase === 'Running' && is.syncResult === undefined) {
    const revision = revisionText(sync ?? {})
    if (initiatedBy?.automated === true) tell('OperationStarted', `Initiated automated sync to '${revision}'`)
    else
      tell(
        'OperationStarted',
        `${initiatedBy?.username ?? 'Unknown user'} initiated sync${revision === '' ? '' : ` to ${revision}`}`,
      )
    return
  }
  if (is.phase === was?.phase || is.phase === 'Running' || is.phase === 'Terminating') return
  const what = `${sync?.resources === undefined ? 'Sync' : 'Partial sync'} operation to ${revisionText(is.syncResult ?? sync ?? {})}`
  if (is.phase === 'Succeeded') tell('OperationCompleted', `${what} succeeded`)
  else tell('OperationCompleted', `${what} failed: ${is.message ?? ''}`, 'Warning')
}
