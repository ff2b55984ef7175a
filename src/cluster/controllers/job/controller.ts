// Runs pods until as many as wanted have succeeded, or too many have failed.
// Reads: Jobs, their Pods and the orphans of their namespace.  Writes: Pods (create, delete, owner, finalizer), Job status.

import { isNotFound } from '#api'
import { Job, type JobStatus, Pod } from '#kinds'
import { isEqual, matchesLabels, objectKey } from '#objects'
import {
  type Cache,
  done,
  isTerminating,
  type Kit,
  type Outcome,
  recordEvent,
  requeueAfter,
  watching,
} from '#reconcile'
import { applyClaims, type Claimant, decideClaims, orphanIndex, refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { findLiveOf } from '../live.ts'
import { ownersOfPod } from '../owners-of-pod.ts'
import { type Attempts, createPod, deletePods, expectedPods, slowStart } from '../pod-control.ts'
import { controllerOf, isPodFinished, isPodReady } from '../pods.ts'
import { type Assessment, assess, isComplete } from './assess.ts'
import { completionsReached, conditionOf, isFinished, type Verdict, withSuspended } from './conditions.ts'
import { decideJob, type JobStep } from './decide.ts'
import { isTracked, trackingFinalizer } from './pods.ts'
import { indexedPod, jobOwner, plainPod } from './templates.ts'
import { decideFinal, decideInterim, type Running, type TrackingInputs, trackedUids } from './tracking.ts'

const component = 'job-controller'
/** What happens to a Job's pods, and what is written into its status, is looked at once a second. */
const batchMs = 1000
const backoff = { firstMs: 1000, maxMs: 60_000 }
const orphanPods = orphanIndex(Pod)
const withoutTracking = { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } }

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

/** Pods whose Job is over or gone lose their finalizer, or they could never be deleted. */
export const jobOrphanController = defineController({
  name: 'job-orphan-pods',
  account: 'job-controller',
  backoff,
  watches: [
    watching(Pod, (pod, _old, cache) => (isLeftBehind(pod, cache) ? [objectKey(pod)] : [])),
    watching(Job, podsLeftBehind),
  ],
  async reconcile(key, kit) {
    const pod = kit.cache.get(Pod, key)
    if (pod !== undefined && isLeftBehind(pod, kit.cache)) await release(kit, pod)
    return done()
  },
})

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const job = kit.cache.get(Job, key)
  if (job === undefined || isFinished(job) || isManagedElsewhere(job)) return done()
  const now = kit.world.clock.now()
  const waitUntil = expectedPods.waitUntil(kit, job)
  if (waitUntil !== undefined) return requeueAfter(waitUntil - now)
  const pods = await claimPods(kit, job)
  const assessment = assess(job, pods, now)
  const step = decideJob(assessment, now)
  const attempts = await act(kit, assessment, step)
  await track(kit, assessment, { step, attempts, now })
  if (attempts.error !== undefined) throw attempts.error
  return nextLook(assessment, step, now)
}

const isManagedElsewhere = ({ spec }: Job): boolean =>
  spec.managedBy !== undefined && spec.managedBy !== 'kubernetes.io/job-controller'

async function act(kit: Kit, assessment: Assessment, step: JobStep): Promise<Attempts> {
  const { job } = assessment
  if (step.type === 'delete') {
    if (step.release) for (const pod of step.pods) if (isTracked(pod)) await letGo(kit, pod)
    return deletePods(kit, jobOwner(job), step.pods)
  }
  if (step.type !== 'create') return { succeeded: 0 }
  const { indexes } = step
  const pod = (i: number): Pod => (indexes === undefined ? plainPod(job) : indexedPod(assessment, indexes[i] ?? 0))
  return slowStart(step.count, (i) => createPod(kit, jobOwner(job), pod(i)))
}

interface Done {
  readonly step: JobStep
  readonly attempts: Attempts
  readonly now: number
}

async function track(kit: Kit, assessment: Assessment, { step, attempts, now }: Done): Promise<void> {
  const { job } = assessment
  const running = runningAfter(assessment, step, attempts)
  const verdict = verdictAfter(assessment, running)
  const suspension = suspensionAfter(kit, assessment, verdict, now)
  const inputs: TrackingInputs = { assessment, running, verdict, ...suspension, now }
  const interim = decideInterim(inputs)
  if (interim.status !== job.status) await assertTracked(kit, interim.release)
  const written = await writeStatus(kit, job, interim.status)
  const released = await releaseCounted(kit, interim.release)
  const tracked = trackedUids(assessment.pods, released)
  const status = decideFinal(interim.status, tracked, { verdict, more: interim.more, now })
  const ended = await writeStatus(kit, written, status)
  if (isFinished(ended)) reportEnd(kit, ended)
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

function suspensionAfter(
  kit: Kit,
  { job, startTime }: Assessment,
  verdict: Verdict | undefined,
  now: number,
): Pick<TrackingInputs, 'conditions' | 'startTime'> {
  const before = job.status?.conditions ?? []
  if (verdict !== undefined || isTerminating(job) || conditionOf(job, 'FailureTarget') !== undefined)
    return { conditions: before, startTime }
  const suspended = job.spec.suspend === true
  const conditions = withSuspended(before, suspended, now)
  if (conditions === before) return { conditions, startTime }
  const text = suspended
    ? { reason: 'Suspended', message: 'Job suspended' }
    : { reason: 'Resumed', message: 'Job resumed' }
  recordEvent(kit, { object: job, component, type: 'Normal', ...text })
  // The deadline counts from when the Job was resumed.
  return { conditions, startTime: suspended ? startTime : now }
}

/** A cache that lags behind may show finalizers that this loop has removed long ago: nothing is counted by it. */
async function assertTracked(kit: Kit, pods: readonly Pod[]): Promise<void> {
  const fresh = await Promise.all(pods.map((pod) => freshPod(kit, pod)))
  const stale = pods.find((_, i) => fresh[i] === undefined)
  if (stale !== undefined) throw new Error(`pod ${objectKey(stale)} has been counted already: waiting for the cache`)
}

/** Undefined when the pod was counted or is gone. */
async function freshPod(kit: Kit, pod: Pod): Promise<Pod | undefined> {
  const fresh = await findLiveOf(kit, Pod, { ...refOf(pod), uid: pod.metadata.uid })
  return fresh !== undefined && isTracked(fresh) ? fresh : undefined
}

/** A pod that is not wanted any more, as it is now; one that has ended, unseen by the cache, is to be counted first. */
async function letGo(kit: Kit, pod: Pod): Promise<void> {
  const fresh = await freshPod(kit, pod)
  if (fresh === undefined) return
  if (isPodFinished(fresh)) throw new Error(`pod ${objectKey(pod)} has ended: waiting for the cache`)
  await release(kit, fresh, fresh.metadata.resourceVersion)
}

/** Answers the uids of the pods that have no finalizer any more. */
async function releaseCounted(kit: Kit, pods: readonly Pod[]): Promise<ReadonlySet<string>> {
  await Promise.all(pods.map((pod) => release(kit, pod)))
  return new Set(pods.map((pod) => pod.metadata.uid ?? ''))
}

async function release(kit: Kit, pod: Pod, resourceVersion?: string): Promise<void> {
  const metadata = { ...withoutTracking.metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) }
  try {
    await kit.client.patch(Pod, refOf(pod), { metadata }, { type: 'application/strategic-merge-patch+json' })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

const writeStatus = async (kit: Kit, job: Job, status: JobStatus): Promise<Job> =>
  isEqual(job.status, status) ? job : kit.client.updateStatus(Job, { ...job, status })

function reportEnd(kit: Kit, job: Job): void {
  const failed = conditionOf(job, 'Failed')
  if (failed !== undefined) {
    recordEvent(kit, {
      object: job,
      component,
      type: 'Warning',
      reason: failed.reason ?? '',
      message: failed.message ?? '',
    })
    return
  }
  if (job.spec.completions !== undefined && (job.status?.succeeded ?? 0) > job.spec.completions) {
    const message = 'Too many succeeded pods running after completion count reached'
    recordEvent(kit, { object: job, component, type: 'Warning', reason: 'TooManySucceededPods', message })
  }
  recordEvent(kit, { object: job, component, type: 'Normal', reason: 'Completed', message: 'Job completed' })
}

/** When the deadline is over, or when failed pods may be replaced. */
function nextLook({ job, startTime }: Assessment, step: JobStep, now: number): Outcome {
  const deadline = job.spec.activeDeadlineSeconds
  const times = [
    ...(step.type === 'wait' ? [step.until] : []),
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

function isLeftBehind(pod: Pod, cache: Cache): boolean {
  if (!isTracked(pod)) return false
  const owner = controllerOf(pod)
  if (owner === undefined) return true
  const job = owner.kind === 'Job' ? cache.get(Job, `${pod.metadata.namespace}/${owner.name}`) : undefined
  return job === undefined || job.metadata.uid !== owner.uid || isFinished(job)
}

function podsLeftBehind(job: Job, _old: Job | undefined, cache: Cache): Iterable<string> {
  return cache
    .ownedBy(Pod, job.metadata.uid ?? '')
    .filter((pod) => isLeftBehind(pod, cache))
    .map(objectKey)
}
