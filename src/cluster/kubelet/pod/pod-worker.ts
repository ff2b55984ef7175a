// When a pod is worked on: one sync at a time, each from a listing that is newer than the end of the one before
// (pod_workers.go). What asks for a sync while one is under way is noted, and served after it.

import { type Process, rank } from '../ground/agenda.ts'
import { lastBeat, nextBeat } from '../ground/timings.ts'
import type { PodLife, Stage } from '../life/pod-life.ts'

/** A minute, and up to half as much again. */
const regularSyncMs = 75_000

/** What is done for a pod at each stage of its life. */
export type Stages<Life> = Readonly<Record<Stage, (life: Life) => Process>>

export class PodWorker<Life extends PodLife> {
  readonly #life: Life
  readonly #stages: Stages<Life>
  #working = false
  #pending = false
  #lastWorkEnd = Number.NEGATIVE_INFINITY
  #cancelRetry: (() => void) | undefined

  constructor(life: Life, stages: Stages<Life>) {
    this.#life = life
    this.#stages = stages
  }

  /** Something asks for a sync. While one is under way it is only noted. */
  trigger(): void {
    const { around, agenda, now, isFinished, isDown } = this.#life
    if (isFinished || isDown) return
    // A sync waits for a listing, and there is none. When there is, each pod is looked at.
    if (around.runtimeTrouble() !== undefined) return
    if (this.#working) {
      this.#pending = true
      return
    }
    this.#working = true
    const { relistMs } = around.timings
    const { listPhase } = around.node
    const fresh = lastBeat(now, relistMs, listPhase) > this.#lastWorkEnd
    const at = fresh ? now : nextBeat(this.#lastWorkEnd, relistMs, listPhase)
    agenda.at(at, rank.work, () => this.#work())
  }

  /** A failed sync is repeated some time later, when due pods are taken up. */
  retry(retryMs: number): void {
    const { around, agenda, now } = this.#life
    // Kubernetes adds up to a half; extremes are left out, so that a pod's story does not hang on them.
    const due = now + retryMs * (1.15 + around.random.next() * 0.15)
    this.#cancelRetry?.()
    this.#cancelRetry = agenda.at(nextBeat(due, around.timings.tickMs, around.node.tickPhase), rank.work, () =>
      this.trigger(),
    )
  }

  /**
   * Has the pod synced when the next regular sync is due. While all is well these show nothing and are left out; whoever
   * breaks what they depend on asks for the next one.
   */
  syncRegularly(): void {
    const { agenda, now } = this.#life
    agenda.at(nextBeat(now, regularSyncMs, this.#lastWorkEnd), rank.work, () => this.trigger())
  }

  /** What comes next is taken up with the next listing. */
  goOn(): void {
    this.#pending = true
  }

  /** A kubelet that begins anew knows of no sync before. */
  restart(): void {
    this.#lastWorkEnd = Number.NEGATIVE_INFINITY
    this.trigger()
  }

  #work(): void {
    this.#pending = false
    const { agenda, stage } = this.#life
    agenda.run(this.#stages[stage](this.#life), () => {
      this.#working = false
      this.#lastWorkEnd = this.#life.now
      if (this.#pending) this.trigger()
    })
  }
}
