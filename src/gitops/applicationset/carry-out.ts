// Does what is planned for a set, and says in its status how that went.
// Writes: Applications; the set's status; Events.

import { ApiError, isAlreadyExists, isConflict, isNotFound } from '#api'
import { Application, ApplicationSet } from '#kinds'
import { isEqual } from '#objects'
import { type Kit, recordEvent } from '#reconcile'
import type { Plan } from './plan.ts'
import { removeApplication } from './remove-application.ts'
import type { Rollout } from './rollout/rollout.ts'
import { statusOf, upToDate, type Verdict, withRollout } from './status.ts'

/** What a sync is asked for is on record before it is asked for. */
export async function note(kit: Kit, set: ApplicationSet, rollout: Rollout): Promise<ApplicationSet> {
  const status = withRollout(set, rollout, kit.world.clock.now())
  if (isEqual(status.applicationStatus, set.status?.applicationStatus)) return set
  return kit.client.updateStatus(ApplicationSet, { ...set, status })
}

interface CarriedOut {
  readonly refused: readonly string[]
  /** Something was changed by another meanwhile, in what may not wake the set: look again. */
  readonly overtaken: boolean
}

/** What the server refuses is told, and does not keep the others back. */
export async function carryOut(kit: Kit, set: ApplicationSet, plan: Plan): Promise<CarriedOut> {
  const refused: string[] = []
  let overtaken = false
  const attempt = async (name: string, verb: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      const reason = verb === 'deleted' ? 'Deleted' : verb
      recordEvent(kit, {
        object: set,
        type: 'Normal',
        reason,
        message: `${verb[0]?.toUpperCase()}${verb.slice(1)} Application ${JSON.stringify(name)}`,
      })
    } catch (error) {
      overtaken ||= isConflict(error)
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return
      if (!(error instanceof ApiError) || error.code >= 500 || error.code === 429) throw error
      refused.push(`${name}: ${error.message}`)
    }
  }
  for (const application of plan.create)
    await attempt(application.metadata.name ?? '', 'created', () => kit.client.create(Application, application))
  for (const { next } of plan.update)
    await attempt(next.metadata.name ?? '', 'updated', () => kit.client.update(Application, next))
  for (const application of plan.remove)
    await attempt(application.metadata.name ?? '', 'deleted', () => removeApplication(kit, set, application))
  return { refused, overtaken }
}

export function verdictOf(set: ApplicationSet, plan: Plan, refused: readonly string[]): Verdict {
  const faults = [...plan.faults, ...refused]
  if (faults.length > 0)
    return { isError: true, reason: 'ApplicationValidationError', message: faults.slice(0, 10).join('; ') }
  if (plan.held !== undefined) return { isError: true, reason: 'DeletionHeld', message: plan.held }
  const type = set.spec.strategy?.type
  if (type !== undefined && type !== '' && type !== 'AllAtOnce' && type !== 'RollingSync')
    return {
      isError: true,
      reason: 'StrategyNotSupported',
      message: `strategy ${type} is not supported: all Applications are changed at once`,
    }
  return upToDate
}

interface News {
  readonly verdict: Verdict
  readonly rollout?: Rollout | undefined
}

export async function report(kit: Kit, set: ApplicationSet, { verdict, rollout }: News): Promise<void> {
  const owned = kit.cache.ownedBy(Application, set.metadata.uid ?? '')
  const status = statusOf({ set, verdict, owned, rollout, now: kit.world.clock.now() })
  if (isEqual(status, set.status)) return
  const before = set.status?.conditions?.find((each) => each.type === 'ErrorOccurred')
  if (verdict.isError && before?.message !== verdict.message)
    recordEvent(kit, { object: set, type: 'Warning', reason: verdict.reason, message: verdict.message })
  await kit.client.updateStatus(ApplicationSet, { ...set, status })
}
