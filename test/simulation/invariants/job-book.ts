// The books of one run on Jobs: which uids each has counted, and what is wrong with a write to a Job or to one of its pods.

import type { Job, Pod } from '#kinds'
import type { Reconcile, Write } from '../../support/observer.ts'
import { as, controllerOf, idOf, type Look } from './invariant.ts'
import {
  countsOf,
  hasCondition,
  indexesIn,
  indexOf,
  isEnding,
  isFailed,
  isIndexed,
  isLastOfIndex,
  isTracked,
  type JobSight,
  surplusOf,
  waiting,
  ways,
} from './job-sight.ts'
import { ended, indexes, type Seen, type Tell } from './job-status.ts'

/** Of one Job: the uids that moved into its counters. */
interface Counted {
  readonly succeeded: Set<string>
  readonly failed: Set<string>
}

export class JobBook {
  readonly sights = new WeakMap<Reconcile, JobSight>()
  /** Reconciles that may let go of a pod: its Job was seen to be over or gone. */
  readonly mayLetGo = new WeakSet<Reconcile>()
  readonly #look: Look
  readonly #counted = new Map<string, Counted>()
  readonly #keys = new Map<string, string>()

  constructor(look: Look) {
    this.#look = look
  }

  podWrote(write: Write): void {
    const [before, after] = [as<Pod>(write.before), as<Pod>(write.after)]
    const owner = controllerOf(write.after ?? write.before)
    const pod = after ?? before
    if (pod === undefined || owner?.kind !== 'Job') return
    this.#keys.set(pod.metadata.uid ?? '', write.key)
    const sight = write.by === undefined ? undefined : this.sights.get(write.by)
    if (sight !== undefined && owner.uid === sight.job.metadata.uid && after !== undefined) {
      if (before === undefined) sight.made += 1
      else if (controllerOf(write.before)?.uid !== owner.uid) sight.pods.set(after.metadata.uid ?? '', after)
    }
    if (isTracked(before) && !isTracked(after)) this.#released(write, pod)
  }

  #released(write: Write, pod: Pod): void {
    const id = idOf(write)
    if (write.by?.loop === 'job-orphan-pods' && !this.mayLetGo.has(write.by))
      this.#look.fail(`${id} is let go though its Job is at work`, id)
    const sight = write.by === undefined ? undefined : this.sights.get(write.by)
    const job = this.#jobOf(write)
    if (sight === undefined || job === undefined || sight.job.metadata.deletionTimestamp !== undefined) return
    const seen = sight.pods.get(pod.metadata.uid ?? '')
    if (seen === undefined) this.#look.fail(`${id} is let go unseen`, id)
    else if (isLastOfIndex(seen, sight, job))
      this.#look.fail(`${id} is let go before another took over its index`, id, this.#idOf(job))
    else if (!this.#isAccountedFor(seen, sight, job))
      this.#look.fail(`${id} is let go before it is counted`, id, this.#idOf(job))
  }

  #isAccountedFor(pod: Pod, sight: JobSight, now: Job): boolean {
    const uid = pod.metadata.uid ?? ''
    const counted = this.#of(now)
    if (ways.some((way) => waiting(now, way).includes(uid) || counted[way].has(uid))) return true
    const index = indexOf(pod, now)
    // What an Indexed Job counts are its indexes: a pod with another is nothing to it.
    if (isIndexed(now) && index === undefined) return true
    if (pod.status?.phase === 'Succeeded')
      return isIndexed(now) && indexesIn(now.status?.completedIndexes).has(index ?? -1)
    if (hasCondition(now, 'SuccessCriteriaMet')) return true
    if (hasCondition(now, 'FailureTarget') || isFailed(pod, now))
      return now.spec.podFailurePolicy?.rules.some(({ action }) => action === 'Ignore') === true
    sight.spared.add(uid)
    return !isEnding(pod) && sight.spared.size <= surplusOf(sight)
  }

  jobWrote(write: Write): void {
    const job = as<Job>(write.after)
    if (job === undefined) {
      this.#counted.delete(write.before?.metadata.uid ?? '')
      return
    }
    const before: Pick<Job, 'status'> = as<Job>(write.before) ?? {}
    const tell = (message: string): void => this.#look.fail(`${idOf(write)} ${message}`, idOf(write))
    const sight = write.by === undefined ? undefined : this.sights.get(write.by)
    const pods = sight?.pods ?? new Map([...this.#keys.keys()].flatMap((uid) => this.#entryOf(uid)))
    this.#written(job, before, { pods, job: sight?.job ?? job }, tell)
    this.#counters(job, before, tell)
    if (isIndexed(job)) indexes(job, before, { pods, job: sight?.job ?? job }, tell)
    ended(job, before, tell)
    if (sight !== undefined) this.#running(job, sight, tell)
  }

  /** Uids that are written down in this write. */
  #written(job: Job, before: Pick<Job, 'status'>, { pods, job: seen }: Seen, tell: Tell): void {
    const counted = this.#of(job)
    const uids = ways.flatMap((way) => waiting(job, way))
    if (new Set(uids).size < uids.length) tell(`is about to count a pod twice: ${uids.join(', ')}`)
    for (const way of ways)
      for (const uid of waiting(job, way).filter((one) => !waiting(before, way).includes(one))) {
        const pod = pods.get(uid)
        const name = pod?.metadata.name ?? uid
        const phase = pod?.status?.phase
        if (counted.succeeded.has(uid) || counted.failed.has(uid)) tell(`is about to count ${name} a second time`)
        else if (pod === undefined || !isTracked(pod)) tell(`is about to count ${name}, which is not its own any more`)
        else if (isIndexed(job) && (way === 'succeeded' || indexOf(pod, job) === undefined))
          tell(`is about to count ${name}, which has no part in it`)
        else if (way === 'succeeded' && phase !== 'Succeeded') tell(`is about to count ${name}, which is ${phase}`)
        else if (
          way === 'failed' &&
          !isFailed(pod, seen) &&
          !(hasCondition(job, 'FailureTarget') && phase !== 'Succeeded')
        )
          tell(`is about to count ${name} as failed, which is ${phase}`)
      }
  }

  /** Uids that are counted in this write: their pods are let go, and the counters say how many there were in all. */
  #counters(job: Job, before: Pick<Job, 'status'>, tell: Tell): void {
    const counted = this.#of(job)
    for (const way of ways)
      for (const uid of waiting(before, way).filter((one) => !waiting(job, way).includes(one))) {
        const [[, pod] = []] = this.#entryOf(uid)
        if (isTracked(pod)) tell(`counts ${pod?.metadata.name}, which is not let go yet`)
        counted[way].add(uid)
      }
    const { succeeded = 0, failed = 0, completedIndexes } = job.status ?? {}
    const done = isIndexed(job) ? indexesIn(completedIndexes).size : counted.succeeded.size
    if (succeeded !== done) tell(`counts ${succeeded} succeeded, ${done} did`)
    if (failed !== counted.failed.size) tell(`counts ${failed} failed, ${counted.failed.size} did`)
    const both = [...counted.succeeded].filter((uid) => counted.failed.has(uid))
    if (both.length > 0) tell(`counts ${both.join(', ')} as succeeded and as failed`)
  }

  /** What has not ended, as the controller saw it and by what it has done since. */
  #running(job: Job, sight: JobSight, tell: Tell): void {
    const seen = countsOf(sight)
    const { active = 0, ready = 0, terminating = 0 } = job.status ?? {}
    // An answer may have been lost: what was made may not be known, and only what is gone can be known to be.
    const gone = seen.active.filter(({ metadata }) => {
      const [[, now] = []] = this.#entryOf(metadata.uid ?? '')
      return now === undefined || isEnding(now)
    })
    const fewest = seen.active.length - gone.length
    // What a namespace that is being deleted refuses is counted as made: nothing comes of it any more.
    const most = this.#isClosing(job) ? Number.POSITIVE_INFINITY : seen.active.length + sight.made
    if (active < fewest || active > most) tell(`says ${active} are active, there are ${fewest} to ${most}`)
    const deleted = Math.max(0, seen.active.length - active)
    if (terminating !== seen.terminating + deleted)
      tell(`says ${terminating} are ending, ${seen.terminating} were and ${deleted} were deleted`)
    if (ready > Math.min(seen.ready, active)) tell(`says ${ready} are ready, ${seen.ready} were, of ${active} active`)
  }

  #isClosing({ metadata: { namespace = '' } }: Job): boolean {
    const found = this.#look.store.get('namespaces', namespace)?.value
    return found === undefined || found.metadata.deletionTimestamp !== undefined
  }

  #of({ metadata: { uid = '' } }: Job): Counted {
    const known = this.#counted.get(uid) ?? { succeeded: new Set(), failed: new Set() }
    this.#counted.set(uid, known)
    return known
  }

  /** The pod with this uid as it is in the store, if it is. */
  #entryOf(uid: string): readonly (readonly [string, Pod])[] {
    const pod = as<Pod>(this.#look.store.get('pods', this.#keys.get(uid) ?? '')?.value)
    return pod?.metadata.uid === uid ? [[uid, pod]] : []
  }

  #jobOf({ after, before }: Write): Job | undefined {
    const owner = controllerOf(after ?? before)
    const found = this.#look.store.get('jobs.batch', `${(after ?? before)?.metadata.namespace}/${owner?.name}`)?.value
    return found?.metadata.uid === owner?.uid ? as<Job>(found) : undefined
  }

  #idOf = ({ metadata }: Job): string => idOf({ bucket: 'jobs.batch', key: `${metadata.namespace}/${metadata.name}` })
}
