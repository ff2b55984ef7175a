// A RollingSync at one look: what is recorded of each Application, which of them are synced now, and what is told. Generated
// Applications do not sync by themselves; the steps do it. Pure.

import type { Application, ApplicationSet, ApplicationSetCondition, Operation } from '#kinds'
import { isEqual } from '#objects'
import type { Plan } from '../plan.ts'
import { hasBegunSince, isRunning, type RolloutRecord, recordOf } from './progress.ts'
import { isRolling, type Steps, stepsOf } from './steps.ts'
import { takeTurns } from './turns.ts'

export interface Rollout {
  readonly records: readonly RolloutRecord[]
  readonly conditions: readonly Omit<ApplicationSetCondition, 'lastTransitionTime'>[]
  /** The plan with the syncs in it that are due. */
  readonly plan: Plan
  /** Look again in a second. */
  readonly soon: boolean
}

export interface RolloutInput {
  readonly set: ApplicationSet
  readonly wanted: readonly Application[]
  readonly owned: readonly Application[]
  readonly plan: Plan
  readonly now: number
}

export function rollOut({ set, wanted, owned, plan, now }: RolloutInput): Rollout {
  const steps = stepsOf(set, wanted)
  const changing = new Map(plan.update.map(({ live, next }) => [live.metadata.name, next]))
  const before = new Map((set.status?.applicationStatus ?? []).map((record) => [record.application, record]))
  const byName = new Map(owned.map((app) => [app.metadata.name ?? '', app]))
  const looked = [...byName.keys()].sort().flatMap((name): readonly RolloutRecord[] => {
    const app = byName.get(name)
    const next = changing.get(name)
    if (app === undefined || app.metadata.deletionTimestamp !== undefined) return []
    const specChanges = next !== undefined && !isEqual(next.spec, app.spec)
    return [recordOf({ app, specChanges, record: before.get(name) }, steps, now)]
  })
  const { records, soon } = takeTurns({ records: looked, steps, find: (name) => byName.get(name), now })
  return {
    records,
    soon,
    conditions: conditionsOf(steps, records),
    plan: { ...plan, update: withSyncs(set, records, { plan, byName }) },
  }
}

/** An Application that the steps sync does not sync itself. */
export function withoutAutomatedSync(set: ApplicationSet, application: Application): Application {
  const { syncPolicy } = application.spec
  if (!isRolling(set) || syncPolicy?.automated === undefined || syncPolicy.automated === null) return application
  const automated = { ...syncPolicy.automated, enabled: false }
  return { ...application, spec: { ...application.spec, syncPolicy: { ...syncPolicy, automated } } }
}

function withSyncs(
  set: ApplicationSet,
  records: readonly RolloutRecord[],
  { plan, byName }: { readonly plan: Plan; readonly byName: ReadonlyMap<string, Application> },
): Plan['update'] {
  const updates = new Map(plan.update.map((update) => [update.live.metadata.name ?? '', update]))
  for (const record of plan.mayUpdate ? records : []) {
    const live = byName.get(record.application)
    if (record.status !== 'Pending' || live === undefined || isRunning(live)) continue
    const last = live.status?.operationState
    if (last !== undefined && hasBegunSince(last, record)) continue
    const next = updates.get(record.application)?.next ?? live
    updates.set(record.application, { live, next: { ...next, operation: operationFor(set, next) } })
  }
  return [...updates.values()]
}

function operationFor({ spec }: ApplicationSet, { spec: { syncPolicy } }: Application): Operation {
  const prune = syncPolicy?.automated?.prune ?? spec.strategy?.rollingSync?.defaultPrune ?? false
  return {
    sync: {
      ...(syncPolicy?.syncOptions === undefined ? {} : { syncOptions: syncPolicy.syncOptions }),
      ...(prune ? { prune } : {}),
    },
    initiatedBy: { username: 'applicationset-controller', automated: true },
    info: [{ name: 'Reason', value: 'ApplicationSet RollingSync triggered a sync of this Application resource' }],
    retry: syncPolicy?.retry ?? { limit: 5 },
  }
}

function conditionsOf({ steps, fault }: Steps, records: readonly RolloutRecord[]): Rollout['conditions'] {
  const undone = steps.findIndex((_step, index) =>
    records.some(({ step, status }) => step === String(index + 1) && status !== 'Healthy'),
  )
  return [
    {
      type: 'RolloutProgressing',
      ...(undone < 0
        ? {
            status: 'False',
            reason: 'ApplicationSetRolloutComplete',
            message: 'ApplicationSet Rollout has completed',
          }
        : {
            status: 'True',
            reason: 'ApplicationSetModified',
            message: `ApplicationSet is performing rollout of step ${undone + 1}`,
          }),
    },
    {
      type: 'InvalidRolloutConfig',
      ...(fault === undefined
        ? {
            status: 'False',
            reason: 'ApplicationSetValidRolloutConfig',
            message: 'Rolling Sync Configured correctly',
          }
        : { status: 'True', reason: 'ApplicationSetInvalidRolloutConfig', message: fault }),
    },
  ]
}
