// What comes of a step of a Job: how many pods are at work now, whether that ends it, whether it was suspended or resumed, and
// what is told of that. Pure. The last part of syncJob of Kubernetes' job controller; texts are Kubernetes' own.

import type { Job } from '#kinds'
import { isTerminating } from '#reconcile'
import type { Attempts } from '../pod-control.ts'
import { isPodReady } from '../pods.ts'
import { type Assessment, isComplete } from './assess.ts'
import { completionsReached, conditionOf, type Verdict, withSuspended } from './conditions.ts'
import type { JobStep } from './decide.ts'
import type { Running, TrackingInputs } from './tracking.ts'

/** An Event about the Job. */
export interface Notice {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface JobOutcome extends TrackingInputs {
  readonly notices: readonly Notice[]
}

/** A step, and how much of it went well. */
export interface Done {
  readonly step: JobStep
  readonly attempts: Attempts
  readonly now: number
}

export function outcomeOf(assessment: Assessment, { step, attempts, now }: Done): JobOutcome {
  const running = runningAfter(assessment, step, attempts)
  const verdict = verdictAfter(assessment, running)
  return { assessment, running, verdict, ...suspensionAfter(assessment, verdict, now), now }
}

function runningAfter({ active, ready, terminating }: Assessment, step: JobStep, { succeeded }: Attempts): Running {
  if (step.type === 'create') return { active: active.length + succeeded, ready, terminating }
  if (step.type !== 'delete') return { active: active.length, ready, terminating }
  // Ready ones are taken off even where their deletion failed: no more may be said to be ready than to be active.
  const leaving = step.pods.filter(isPodReady).length
  return { active: active.length - succeeded, ready: ready - leaving, terminating: terminating + succeeded }
}

/** A Job ends only when no pod of it is active any more. */
function verdictAfter(assessment: Assessment, { active }: Running): Verdict | undefined {
  if (assessment.verdict !== undefined) return active === 0 ? assessment.verdict : undefined
  return isComplete(assessment, active) ? completionsReached : undefined
}

/** A Job that is about to end, or is being deleted, is neither suspended nor resumed any more. */
function suspensionAfter(
  { job, startTime, verdict: found }: Assessment,
  verdict: Verdict | undefined,
  now: number,
): Pick<JobOutcome, 'conditions' | 'startTime' | 'notices'> {
  const before = job.status?.conditions ?? []
  const unchanged = { conditions: before, startTime, notices: [] }
  if (found !== undefined || verdict !== undefined || isTerminating(job)) return unchanged
  const suspended = job.spec.suspend === true
  const conditions = withSuspended(before, suspended, now)
  if (conditions === before) return unchanged
  const text = suspended
    ? { reason: 'Suspended', message: 'Job suspended' }
    : { reason: 'Resumed', message: 'Job resumed' }
  // The deadline counts from when the Job was resumed.
  return { conditions, startTime: suspended ? startTime : now, notices: [{ type: 'Normal', ...text }] }
}

/** What is told of a Job that has just ended. */
export function noticesOfEnd(job: Job): readonly Notice[] {
  const failed = conditionOf(job, 'Failed')
  if (failed !== undefined) return [{ type: 'Warning', reason: failed.reason ?? '', message: failed.message ?? '' }]
  const completed: Notice = { type: 'Normal', reason: 'Completed', message: 'Job completed' }
  if (job.spec.completions === undefined || (job.status?.succeeded ?? 0) <= job.spec.completions) return [completed]
  const message = 'Too many succeeded pods running after completion count reached'
  return [{ type: 'Warning', reason: 'TooManySucceededPods', message }, completed]
}
