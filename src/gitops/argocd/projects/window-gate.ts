// What an application is told by the sync windows of its project: a running operation waits, an automated sync does not
// begin, and windows that cannot be understood are an error. Reads: AppProjects.

import { type Application, AppProject, type OperationState } from '#kinds'
import { formatTime, parseTime } from '#objects'
import type { Kit } from '#reconcile'
import type { Finding } from '../application/conditions.ts'
import { projectKey } from '../application/names.ts'
import { decideSync, nextAllowedAt, type SyncRequest, type WindowVerdict, windowText } from './sync-windows.ts'

interface Applicant {
  readonly kit: Kit
  readonly app: Application
}

export interface Block {
  /** Of the operation that waits. */
  readonly message: string
  /** Why an automated sync that is due does not begin. */
  readonly finding: Finding
  readonly wake: { readonly wakeAt?: number }
}

/** Undefined: the operation may go on. */
export const blockOfOperation = (applicant: Applicant, state: OperationState): Block | undefined => {
  const startedAt = parseTime(state.startedAt)
  return blockOf(applicant, {
    manual: state.operation.initiatedBy?.automated !== true,
    ...(startedAt === undefined ? {} : { startedAt }),
  })
}

/** Undefined: an automated sync may begin. */
export const blockOfAutomation = (applicant: Applicant): Block | undefined => blockOf(applicant, { manual: false })

function blockOf({ kit, app }: Applicant, request: Omit<SyncRequest, 'now'>): Block | undefined {
  const project = kit.cache.get(AppProject, projectKey(app))
  if (project === undefined) return undefined
  const now = kit.world.clock.now()
  const verdict = decideSync(project, app, { ...request, now })
  if (verdict.allowed) return undefined
  const { fault, changesAt } = verdict
  return {
    message: `Sync operation blocked by sync window${fault === undefined ? '' : `: ${fault}`}`,
    finding: { type: 'SyncWindowWarning', message: waitText(project, verdict, nextAllowedAt(project, app, now)) },
    wake: changesAt === undefined ? {} : { wakeAt: changesAt },
  }
}

function waitText(project: AppProject, { keptBy, fault }: WindowVerdict, allowedAt: number | undefined): string {
  const what = `Automated sync blocked by sync window ${keptBy.map(windowText).join(', ')} of project ${project.metadata.name ?? ''}`
  if (fault !== undefined) return `${what}, which cannot be understood`
  return allowedAt === undefined ? what : `${what} until ${formatTime(allowedAt)}`
}

/** Windows that cannot be understood let nothing be synced, so the application says so, whatever it is doing. */
export function windowFaultsOf({ kit, app }: Applicant): readonly Finding[] {
  const project = kit.cache.get(AppProject, projectKey(app))
  if (project === undefined) return []
  const { fault } = decideSync(project, app, { manual: false, now: kit.world.clock.now() })
  return fault === undefined ? [] : [{ type: 'SyncError', message: fault }]
}
