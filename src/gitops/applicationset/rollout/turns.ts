// Whose turn it is in a RollingSync: the first step that is not done, and in it so many Applications as may be updated at the
// same time. Pure.

import type { Application } from '#kinds'
import { formatTime, parseTime } from '#objects'
import { revisionsAhead } from './ahead.ts'
import { isCurrent, type RolloutRecord } from './progress.ts'
import { type Steps, updateLimit } from './steps.ts'

export interface Turns {
  readonly records: readonly RolloutRecord[]
  /** An Application whose turn it is has to wait a moment. */
  readonly soon: boolean
}

export interface TurnsInput {
  readonly records: readonly RolloutRecord[]
  readonly steps: Steps
  readonly find: (name: string) => Application | undefined
  readonly now: number
}

/** So long an Application that saw a new revision first waits for those of earlier steps to see it. */
const newsMs = 60_000

/** Moves Applications whose turn it is from Waiting to Pending. */
export function takeTurns({ records, steps, find, now }: TurnsInput): Turns {
  const open = openSteps(records, steps)
  const updating = steps.steps.map(() => 0)
  const total = steps.steps.map(() => 0)
  for (const { application, status } of records) {
    const step = steps.stepOf(application)
    if (step === undefined) continue
    total[step] = (total[step] ?? 0) + 1
    if (status === 'Pending' || status === 'Progressing') updating[step] = (updating[step] ?? 0) + 1
  }
  const isAhead = revisionsAhead(records, steps, find)
  let soon = false
  const next = records.map((record) => {
    const step = steps.stepOf(record.application)
    const app = find(record.application)
    const rule = step === undefined ? undefined : steps.steps[step]
    if (step === undefined || rule === undefined || app === undefined || step >= open) return record
    if (record.status !== 'Waiting' || !isCurrent(app)) return record
    if ((updating[step] ?? 0) >= updateLimit(rule, total[step] ?? 0)) return record
    updating[step] = (updating[step] ?? 0) + 1
    const isNews = now - (parseTime(record.lastTransitionTime) ?? 0) < newsMs
    if (hasJustBegun(app, now) || (isNews && isAhead(app, step))) {
      soon = true
      return record
    }
    return pending(record, now)
  })
  return { records: next, soon }
}

const pending = (record: RolloutRecord, now: number): RolloutRecord => ({
  ...record,
  status: 'Pending',
  message: 'Application moved to Pending status, watching for the Application resource to start Progressing',
  lastTransitionTime: formatTime(now),
})

/** Times are told in seconds: a sync that began in this one could not be told from the one that is asked for. */
const hasJustBegun = ({ status }: Application, now: number): boolean =>
  (parseTime(status?.operationState?.startedAt) ?? 0) >= (parseTime(formatTime(now)) ?? now)

/** How many steps have begun: all that are done, and the one after them. */
function openSteps(records: readonly RolloutRecord[], { selected }: Steps): number {
  const healthy = new Set(records.filter(({ status }) => status === 'Healthy').map(({ application }) => application))
  const undone = selected.findIndex((names) => !names.every((name) => healthy.has(name)))
  return undone < 0 ? selected.length : undone + 1
}
