// Runs pods until as many as wanted have succeeded, or too many have failed.
// Reads: Jobs, their Pods and the orphans of their namespace.  Writes: Pods (create, delete, owner, finalizer), Job status.

import { Job, type JobStatus, Pod } from '#kinds'
import { isEqual, matchesLabels, objectKey } from '#objects'
import { done, type Kit, type Outcome, recordEvent, requeueAfter, watching } from '#reconcile'
import { applyClaims, type Claimant, decideClaims, orphanIndex } from '../claims.ts'
import { defineController } from '../define.ts'
import { ownersOfPod } from '../owners-of-pod.ts'
import { type Attempts, createPod, deletePods, expectedPods, slowStart } from '../pod-control.ts'
import { type Assessment, assess } from './assess.ts'
import { isFinished } from './conditions.ts'
import { decideJob, type JobStep } from './decide.ts'
import { FailureMemory } from './failure-memory.ts'
import { assertTracked, letGo, releaseCounted } from './finalizers.ts'
import { type JobOutcome, type Notice, noticesOfEnd, outcomeOf } from './outcome.ts'
import { backoff, isManagedElsewhere, trackingFinalizer } from './pods.ts'
import { indexedPod, jobOwner, plainPod } from './templates.ts'
import { decideFinal, decideInterim, trackedUids } from './tracking.ts'

const component = 'job-controller'
/** What happens to a Job's pods, and what is written into its status, is looked at once a second. */
const batchMs = 1000
const orphanPods = orphanIndex(Pod)
const memory = new FailureMemory()

export const jobController = defineController({
  name: 'job',
  reconciles: Job,
  watches: [
    watching(Job, (job, old) => (isSameSpec(job, old) ? [] : [objectKey(job)])),
    watching(Job, (job, old) => (isSameSpec(job, old) ? [objectKey(job)] : []), { batchMs }),
    watching(Pod, ownersOfPod({ kind: Job, selects: (job, labels) => selectsPod(job, labels) }), { batchMs }),
  ],
  backoff,
  reconcile,
})

const isSameSpec = (job: Job, old: Job | undefined): boolean =>
  old !== undefined && job.metadata.generation === old.metadata.generation

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const { world } = kit
  const job = kit.cache.get(Job, key)
  if (job === undefined || isFinished(job)) memory.forget(world, key)
  if (job === undefined || isFinished(job) || isManagedElsewhere(job)) return done()
  const now = world.clock.now()
  const waitUntil = expectedPods.waitUntil(kit, job)
  if (waitUntil !== undefined) return requeueAfter(waitUntil - now)
  const pods = await claimPods(kit, job)
  const assessment = assess(job, pods, { now, remembered: memory.of(world, key, job.metadata.uid ?? '') })
  const step = decideJob(assessment, now)
  const attempts = await act(kit, assessment, step)
  await track(kit, outcomeOf(assessment, { step, attempts, now }))
  if (attempts.error !== undefined) throw attempts.error
  return nextLook(assessment, step, now)
}

async function act(kit: Kit, assessment: Assessment, step: JobStep): Promise<Attempts> {
  const { job } = assessment
  if (step.type === 'delete') return takeAway(kit, job, step)
  if (step.type !== 'create') return { succeeded: 0 }
  const { indexes } = step
  const pod = (i: number): Pod => (indexes === undefined ? plainPod(job) : indexedPod(assessment, indexes[i] ?? 0))
  return slowStart(step.count, (i) => createPod(kit, jobOwner(job), pod(i)))
}

/** A pod that cannot be let go stays, and keeps no other from going. */
async function takeAway(kit: Kit, job: Job, step: JobStep & { readonly type: 'delete' }): Promise<Attempts> {
  if (!step.release) return deletePods(kit, jobOwner(job), step.pods)
  const released = await Promise.allSettled(step.pods.map((pod) => letGo(kit, pod)))
  const refused = released.find((one) => one.status === 'rejected')
  const free = step.pods.filter((_, i) => released[i]?.status === 'fulfilled')
  const attempts = await deletePods(kit, jobOwner(job), free)
  return refused === undefined ? attempts : { error: refused.reason, ...attempts }
}

async function track(kit: Kit, outcome: JobOutcome): Promise<void> {
  const { assessment, verdict, notices, now } = outcome
  const { job } = assessment
  for (const notice of notices) tell(kit, job, notice)
  const interim = decideInterim(outcome)
  if (interim.status !== job.status) await assertTracked(kit, interim.release)
  const written = await writeStatus(kit, job, interim.status)
  memory.remember(kit.world, objectKey(job), { uid: job.metadata.uid ?? '', failures: assessment.failures })
  const released = await releaseCounted(kit, interim.release)
  const tracked = trackedUids(assessment.pods, released)
  const status = decideFinal(interim.status, tracked, { verdict, more: interim.more, now })
  const ended = await writeStatus(kit, written, status)
  if (isFinished(ended)) for (const notice of noticesOfEnd(ended)) tell(kit, ended, notice)
}

const tell = (kit: Kit, job: Job, notice: Notice): void => recordEvent(kit, { object: job, component, ...notice })

const writeStatus = async (kit: Kit, job: Job, status: JobStatus): Promise<Job> =>
  isEqual(job.status, status) ? job : kit.client.updateStatus(Job, { ...job, status })

/** When the deadline is over, or when failed pods may be replaced. */
function nextLook({ job, startTime }: Assessment, step: JobStep, now: number): Outcome {
  const deadline = job.spec.activeDeadlineSeconds
  const times = [
    ...(step.type === 'wait' ? [Math.max(step.until, now + batchMs)] : []),
    ...(deadline === undefined || startTime === undefined || job.spec.suspend === true
      ? []
      : [startTime + deadline * 1000]),
  ].filter((at) => at > now)
  return times.length === 0 ? done() : requeueAfter(Math.min(...times) - now)
}

function claimPods(kit: Kit, job: Job): Promise<readonly Pod[]> {
  const { selector } = job.spec
  const claimant: Claimant<Pod> = {
    kind: Job,
    object: job,
    child: Pod,
    matches: (labels) => selector !== undefined && matchesLabels(selector, labels),
    finalizer: trackingFinalizer,
  }
  const owned = kit.cache.ownedBy(Pod, job.metadata.uid ?? '')
  const orphans = kit.cache.by(orphanPods, job.metadata.namespace ?? '')
  return applyClaims(kit, claimant, decideClaims(claimant, [...owned, ...orphans]))
}

const selectsPod = ({ spec: { selector } }: Job, labels: Readonly<Record<string, string>>): boolean =>
  selector !== undefined && matchesLabels(selector, labels)
