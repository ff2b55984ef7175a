// Faults of the status of Jobs (pkg/apis/batch/validation). Other controllers may write it (`managedBy`), so a job that has
// ended stays ended and says so in one way. Most checks are only made of what a write changes.

import { isEqual } from '#objects'
import { duplicate, type FieldError, invalid, invalidWhole, required } from '../field-error.ts'
import type { Job, JobStatus } from '../generated/types.ts'
import { immutableText } from '../metadata/formats.ts'
import { checkNonNegative } from '../workload/selector.ts'
import { type Intervals, readIndexes, sharedIndex } from './indexes.ts'

type Status = Partial<JobStatus>
type Uncounted = NonNullable<Status['uncountedTerminatedPods']>

interface Change {
  readonly job: Job
  readonly now: Status
  readonly before: Status
  readonly errors: FieldError[]
}

const isTrue = ({ conditions }: Status, type: string): boolean =>
  conditions?.some((condition) => condition.type === type && condition.status === 'True') === true

const isFinished = (status: Status): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed')

export function validateJobStatus(job: Job, old: Job): readonly FieldError[] {
  const errors: FieldError[] = []
  const change: Change = { job, now: job.status ?? {}, before: old.status ?? {}, errors }
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const)
    checkNonNegative(change.now[field], `status.${field}`, errors)
  checkUncounted(change.now.uncountedTerminatedPods, errors)
  checkEnds(change)
  checkFinished(change)
  checkIndexes(change)
  checkTerminating(change)
  const { ready = 0, active = 0 } = change.now
  if (differs(change, 'ready', 'active') && ready > active)
    errors.push(invalid('status.ready', ready, 'cannot set more ready pods than active'))
  checkSuccess(change)
  checkProgress(change)
  return errors
}

function checkUncounted(pods: Uncounted | undefined, errors: FieldError[]): void {
  const seen = new Set<string>()
  for (const list of ['succeeded', 'failed'] as const)
    pods?.[list]?.forEach((uid, i) => {
      const path = `status.uncountedTerminatedPods.${list}[${i}]`
      if (uid === '') errors.push(invalid(path, uid, 'must not be empty'))
      else if (seen.has(uid)) errors.push(duplicate(path, uid))
      seen.add(uid)
    })
}

const differs = ({ now, before }: Change, ...fields: readonly (keyof JobStatus)[]): boolean =>
  fields.some((field) => !isEqual(now[field] ?? null, before[field] ?? null))

const flips = ({ now, before }: Change, ...types: readonly string[]): boolean =>
  types.some((type) => isTrue(now, type) !== isTrue(before, type))

const refuse = ({ errors }: Change, text: string): void => {
  errors.push(invalidWhole('status.conditions', text))
}

function checkEnds(change: Change): void {
  const { now } = change
  const [complete, failed, target] = [isTrue(now, 'Complete'), isTrue(now, 'Failed'), isTrue(now, 'FailureTarget')]
  if (flips(change, 'Complete', 'Failed') && complete && failed)
    refuse(change, 'cannot set Complete=True and Failed=true conditions')
  if (flips(change, 'Complete', 'FailureTarget') && complete && target)
    refuse(change, 'cannot set Complete=True and FailureTarget=true conditions')
  checkCompletionTime(change, complete)
  if ((flips(change, 'Failed') || differs(change, 'failedIndexes')) && failed && !target)
    refuse(change, 'cannot set Failed=True condition without the FailureTarget=true condition')
  if (flips(change, 'Complete', 'SuccessCriteriaMet') && complete && !isTrue(now, 'SuccessCriteriaMet'))
    refuse(change, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition')
}

/** A job cannot have met its criteria and fail. */
function checkSuccess(change: Change): void {
  const { job, now } = change
  const criteria = isTrue(now, 'SuccessCriteriaMet')
  if (criteria && isTrue(now, 'Failed')) refuse(change, 'cannot set SuccessCriteriaMet=True and Failed=true conditions')
  if (criteria && isTrue(now, 'FailureTarget'))
    refuse(change, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')
  if (job.spec?.successPolicy !== undefined && !criteria && isTrue(now, 'Complete'))
    refuse(change, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')
}

function checkCompletionTime(change: Change, complete: boolean): void {
  const { now, errors } = change
  const { completionTime, startTime } = now
  const path = 'status.completionTime'
  if (flips(change, 'Complete') || differs(change, 'completionTime')) {
    if (completionTime !== undefined && !complete)
      errors.push(invalid(path, completionTime, 'cannot set completionTime when there is no Complete=True condition'))
    if (completionTime === undefined && complete)
      errors.push(required(path, 'completionTime is required for Complete jobs'))
  }
  if (!differs(change, 'startTime', 'completionTime') || startTime === undefined || completionTime === undefined) return
  if (Date.parse(completionTime) < Date.parse(startTime))
    errors.push(invalid(path, completionTime, 'must be equal to or after `startTime`'))
}

function checkFinished(change: Change): void {
  const { job, now, errors } = change
  if (!isFinished(now)) return
  const ends = !isFinished(change.before)
  const { active = 0, uncountedTerminatedPods: uncounted } = now
  if ((ends || differs(change, 'active')) && active > 0)
    errors.push(invalid('status.active', active, 'active>0 is invalid for finished job'))
  const neverRan = job.spec?.suspend === true && job.spec.completions === 0
  if ((ends || differs(change, 'startTime')) && now.startTime === undefined && !neverRan)
    errors.push(required('status.startTime', 'startTime is required for finished job'))
  if (!ends && !differs(change, 'uncountedTerminatedPods')) return
  if ((uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length > 0)
    errors.push(
      invalid(
        'status.uncountedTerminatedPods',
        { Succeeded: uncounted?.succeeded ?? null, Failed: uncounted?.failed ?? null },
        'must be empty for finished job',
      ),
    )
}

function checkTerminating(change: Change): void {
  const { now, before, errors } = change
  const changes = isFinished(now) !== isFinished(before) || differs(change, 'terminating')
  const { terminating = 0 } = now
  if (isFinished(now) && changes && terminating > 0)
    errors.push(invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'))
}

function checkIndexes(change: Change): void {
  const { job, now, errors } = change
  const { completions, completionMode, backoffLimitPerIndex } = job.spec ?? {}
  const { completedIndexes = '', failedIndexes } = now
  const read = (field: 'completedIndexes' | 'failedIndexes', text: string): Intervals => {
    if (completions === undefined || !differs(change, 'completedIndexes', 'failedIndexes')) return []
    const indexes = readIndexes(text, completions)
    if ('fault' in indexes) {
      if (differs(change, field))
        errors.push(invalid(`status.${field}`, text, `error parsing ${field}: ${indexes.fault}`))
      return []
    }
    return indexes.intervals
  }
  const completed = read('completedIndexes', completedIndexes)
  const failed = backoffLimitPerIndex === undefined ? [] : read('failedIndexes', failedIndexes ?? '')
  if (differs(change, 'completedIndexes') && completedIndexes !== '' && completionMode !== 'Indexed')
    errors.push(
      invalid(
        'status.completedIndexes',
        completedIndexes,
        'cannot set non-empty completedIndexes when non-indexed completion mode',
      ),
    )
  if (differs(change, 'failedIndexes') && failedIndexes !== undefined && backoffLimitPerIndex === undefined)
    errors.push(
      invalid(
        'status.failedIndexes',
        failedIndexes,
        'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ),
    )
  const shared = sharedIndex(failed, completed)
  if (shared !== undefined)
    errors.push(
      invalid('status.failedIndexes', failedIndexes, `failedIndexes and completedIndexes overlap at index: ${shared}`),
    )
}

/** What may only go one way. */
function checkProgress(change: Change): void {
  const { job, now, before, errors } = change
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (isTrue(before, type) && !isTrue(now, type))
      errors.push(invalidWhole('status.conditions', `cannot disable the terminal ${type}=True condition`))
  const count = (field: 'failed' | 'succeeded'): void => {
    const value = now[field] ?? 0
    if (value < (before[field] ?? 0))
      errors.push(invalid(`status.${field}`, value, `cannot decrease the ${field} counter`))
  }
  count('failed')
  // Indexed Jobs with as many completions as run at once can be scaled down.
  const { completionMode, completions, parallelism } = job.spec ?? {}
  if (completionMode !== 'Indexed' || completions !== parallelism) count('succeeded')
  const { completionTime } = now
  if (completionTime !== undefined && before.completionTime !== undefined && differs(change, 'completionTime'))
    errors.push(invalid('status.completionTime', completionTime, immutableText))
  // A Job that goes on after it was suspended begins anew.
  const resumes = isTrue(before, 'Suspended') && !isTrue(now, 'Suspended')
  const runs = job.spec?.suspend !== true && !resumes
  if (before.startTime !== undefined && differs(change, 'startTime') && runs)
    errors.push(required('status.startTime', 'startTime cannot be removed for unsuspended job'))
  checkCriteriaKept(change)
}

function checkCriteriaKept(change: Change): void {
  const { now, before } = change
  const [met, was] = [isTrue(now, 'SuccessCriteriaMet'), isTrue(before, 'SuccessCriteriaMet')]
  if (was && !met) refuse(change, 'cannot disable the SuccessCriteriaMet=True condition')
  if (met && !was && isTrue(before, 'Complete'))
    refuse(change, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions')
}
