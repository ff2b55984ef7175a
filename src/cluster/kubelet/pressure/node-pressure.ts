// Watches over what one node has left: says which pressures it is under, frees unused images, and names the pod that is to
// go, one at a time (eviction/eviction_manager.go). Keeps in memory what a real kubelet keeps: since when thresholds are
// met, and the pod that it waits for. While nothing that could happen would make the node run short, it does not look.

import type { Node, Pod } from '#kinds'
import type { PressureType } from '../node/node-object.ts'
import type { NodeRuntime } from '../node/node-runtime.ts'
import { amountFrom, namesOf, type Observations, type Signal } from '../node/signals.ts'
import { type Met, metThresholds } from '../node/thresholds.ts'
import type { NodeShortage, Troubles } from '../node/troubles.ts'
import type { PodRun } from '../pod/pod-run.ts'
import type { Workloads } from '../workload/workload.ts'
import { graceFor } from './eviction-grace.ts'
import { collectAll, collectImages, imageSizes } from './image-garbage.ts'
import { observe, statsOf } from './measuring.ts'
import { oomText, oomVictim } from './out-of-memory.ts'
import { Peaks } from './peaks.ts'
import { type Candidate, type EvictionText, evictionText, ranked } from './ranking.ts'
import { ThresholdWatch } from './threshold-watch.ts'

/** How often the node is looked at. */
export const checkMs = 10_000
/** How often, while an evicted pod ends. */
const pollMs = 1000
/** No longer is waited for what an ended pod leaves. */
const mostCleanupMs = 30_000
const garbageMs = 300_000

export interface NodeEventText {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

export interface Round {
  readonly events: readonly NodeEventText[]
  readonly victim?: { readonly run: PodRun; readonly graceSeconds: number } & EvictionText
  /** An evicted pod that has not ended when it should have. */
  readonly overdue?: PodRun
  /** A container that the kernel has ended. */
  readonly killed?: { readonly run: PodRun; readonly container: string }
}

const quiet: Round = { events: [] }

export interface PressurePlace {
  readonly runtime: NodeRuntime
  readonly workloads: Workloads
  readonly troubles: Troubles
  readonly runOf: (uid: string) => PodRun | undefined
  readonly isEvictable: (pod: Pod) => boolean
}

/** All that decides whether a node could run short. */
type State = readonly [pods: number, workloads: number | undefined, images: number, facts: unknown, troubles: number]

const isSame = (a: State, b: State): boolean => a.every((value, i) => value === b[i])

interface Waiting {
  readonly uid: string
  /** By then it should have ended; until then, no longer, is waited for what it leaves. */
  readonly endsBy: number
  readonly until: number
  readonly isTold: boolean
}

export class NodePressure {
  readonly #place: PressurePlace
  readonly #thresholds = new ThresholdWatch()
  readonly #peaks = new Peaks()
  #current: ReadonlySet<PressureType> = new Set()
  #nextAt = Number.NEGATIVE_INFINITY
  #nextGarbageAt = Number.NEGATIVE_INFINITY
  #waitingFor: Waiting | undefined
  /** For which state of the node it is known that nothing can happen. */
  #calmFor: State | undefined
  #gcFailed = false

  constructor(place: PressurePlace) {
    this.#place = place
  }

  get conditions(): ReadonlySet<PressureType> {
    return this.#current
  }

  /** When to look again; undefined while nothing can happen. */
  get nextAt(): number | undefined {
    return this.#calmFor === undefined ? this.#nextAt : undefined
  }

  /** One look, if one is due. */
  check(node: Node, now: number): Round {
    const state = this.#state()
    if ((this.#calmFor !== undefined && isSame(this.#calmFor, state)) || now < this.#nextAt) return quiet
    const wait = this.#waitingFor
    if (wait !== undefined && now < wait.until && this.#place.runtime.hasPod(wait.uid)) return this.#wait(wait, now)
    this.#waitingFor = undefined
    this.#nextAt = now + checkMs
    this.#calmFor = undefined
    if (this.#current.size === 0 && !this.#couldRunShort(node)) {
      this.#calmFor = state
      return quiet
    }
    return this.#synchronize(node, now)
  }

  #wait(wait: Waiting, now: number): Round {
    this.#nextAt = now + pollMs
    const run = wait.isTold || now < wait.endsBy ? undefined : this.#place.runOf(wait.uid)
    if (run?.stage !== 'terminating') return quiet
    this.#waitingFor = { ...wait, isTold: true }
    return { events: [], overdue: run }
  }

  #state(): State {
    const { runtime, workloads, troubles } = this.#place
    return [runtime.podsVersion, workloads.version, runtime.images.version, runtime.facts(), troubles.version]
  }

  #couldRunShort(node: Node): boolean {
    const { runtime, workloads } = this.#place
    const shortages = this.#shortages()
    const facts = runtime.facts()
    const pods = this.#peaks.of(runtime.pods, workloads)
    const parts = { capacity: node.status?.capacity ?? {}, facts, imageSizes: imageSizes(runtime), pods }
    return shortages.length > 0 || metThresholds(observe(parts, 'peak'), facts.thresholds).length > 0
  }

  #shortages(): readonly NodeShortage[] {
    return this.#place.troubles.shortagesOn(this.#place.runtime.name)
  }

  #candidates(now: number): readonly Candidate[] {
    const { runtime, workloads, runOf } = this.#place
    return [...runtime.pods].flatMap((pod) => {
      const run = runOf(pod.metadata.uid ?? '')
      return run === undefined || run.stage !== 'syncing' ? [] : [{ pod: run.pod, stats: statsOf(run, workloads, now) }]
    })
  }

  #measure(node: Node, candidates: readonly Candidate[], now: number): Observations {
    const { runtime } = this.#place
    const pods = candidates.map(({ stats }) => stats)
    const { capacity = {} } = node.status ?? {}
    return observe({ capacity, facts: runtime.facts(), imageSizes: imageSizes(runtime), pods }, now)
  }

  /** What is left, also of what something else takes. */
  #observe(node: Node, candidates: readonly Candidate[], now: number): Observations {
    const observed: { [signal in Signal]?: { available: number; capacity: number } } = {
      ...this.#measure(node, candidates, now),
    }
    for (const { available } of this.#shortages())
      for (const [signal, value] of Object.entries(available) as [Signal, string][]) {
        const known = observed[signal]
        if (known === undefined) continue
        const amount = amountFrom(value, known.capacity) ?? known.available
        observed[signal] = { ...known, available: Math.min(known.available, amount) }
      }
    return observed
  }

  #synchronize(node: Node, now: number): Round {
    const { runtime } = this.#place
    const candidates = this.#candidates(now)
    const outOfMemory = this.#outOfMemory(node, candidates, now)
    if (outOfMemory !== undefined) return outOfMemory
    // The images' own garbage collection comes first: what it frees need not be evicted.
    const events: NodeEventText[] = [...this.#collectGarbage(this.#observe(node, candidates, now), now)]
    const observed = this.#observe(node, candidates, now)
    const facts = runtime.facts()
    const [first] = this.#thresholds.see(observed, facts, now)
    this.#current = this.#thresholds.conditions
    runtime.pressures = this.#current
    if (first === undefined) return { events }
    const { resource } = namesOf[first.signal]
    events.push({ type: 'Warning', reason: 'EvictionThresholdMet', message: `Attempting to reclaim ${resource}` })
    if (namesOf[first.signal].condition === 'DiskPressure' && collectAll(runtime, now) > 0) {
      // Freed enough without evicting anything?
      const left = this.#observe(node, candidates, now)
      if (metThresholds(left, facts.thresholds, { withReclaim: true }).length === 0) return { events }
    }
    return this.#choose(candidates, first, { events, now })
  }

  /** The kernel acts before the kubelet has seen anything: that looks again a moment later. */
  #outOfMemory(node: Node, candidates: readonly Candidate[], now: number): Round | undefined {
    const memory = this.#measure(node, candidates, now)['memory.available']
    if (memory === undefined || memory.available > 0) return undefined
    const victim = oomVictim(candidates, memory.capacity)
    const run = victim && this.#place.runOf(victim.pod.metadata.uid ?? '')
    if (victim === undefined || run === undefined) return undefined
    this.#nextAt = now + pollMs
    return {
      events: [{ type: 'Warning', reason: 'SystemOOM', message: oomText(victim) }],
      killed: { run, container: victim.container },
    }
  }

  #choose(
    candidates: readonly Candidate[],
    met: Met,
    { events, now }: { readonly events: readonly NodeEventText[]; readonly now: number },
  ): Round {
    const { isEvictable, runOf } = this.#place
    for (const candidate of ranked(candidates, met.signal)) {
      const uid = candidate.pod.metadata.uid ?? ''
      const run = runOf(uid)
      if (run === undefined || !isEvictable(candidate.pod)) continue
      const { evictions, facts } = this.#place.runtime
      const grace = graceFor(candidate.pod, met, facts().maxPodGraceSeconds)
      const endsBy = now + grace.waitMs
      this.#waitingFor = { uid, endsBy, until: endsBy + mostCleanupMs, isTold: false }
      evictions.set(met.signal, (evictions.get(met.signal) ?? 0) + 1)
      this.#nextAt = now + pollMs
      return { events, victim: { run, graceSeconds: grace.seconds, ...evictionText(candidate, met) } }
    }
    return { events }
  }

  /** Images that nobody uses make room before it gets scarce. */
  #collectGarbage(observed: Observations, now: number): readonly NodeEventText[] {
    const imagefs = observed['imagefs.available']
    if (imagefs === undefined || now < this.#nextGarbageAt) return []
    this.#nextGarbageAt = now + garbageMs
    const failure = collectImages(this.#place.runtime, imagefs, now)
    const repeated = this.#gcFailed && failure !== undefined
    this.#gcFailed = failure !== undefined
    if (failure === undefined) return []
    return [
      { type: 'Warning', reason: 'FreeDiskSpaceFailed', message: failure },
      ...(repeated ? [{ type: 'Warning', reason: 'ImageGCFailed', message: failure } as const] : []),
    ]
  }
}
