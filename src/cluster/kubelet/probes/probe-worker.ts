// One probe of one container: when it is run, and from how many like findings in a row it changes its mind
// (prober/worker.go). A probe that would find the same for ever is not run: only what can be seen is computed.

import type { Probe } from '#kinds'
import type { ContainerRecord } from '../containers/containers.ts'
import { rank } from '../ground/agenda.ts'
import type { FewMap } from '../ground/few-map.ts'
import { nextBeat } from '../ground/timings.ts'
import type { PodLife } from '../life/pod-life.ts'
import type { ProbeKind } from '../workload/workload.ts'
import { type Finding, lookAt, nextChange } from './probe-finding.ts'

export type ProbeResult = 'success' | 'failure' | 'unknown'

const initialResult: Readonly<Record<ProbeKind, ProbeResult>> = {
  readiness: 'failure',
  liveness: 'success',
  startup: 'unknown',
}

/** How often a status is told that the next sync, a moment later, changes again. */
const aheadShare = 0.7

const title: Readonly<Record<ProbeKind, string>> = { readiness: 'Readiness', liveness: 'Liveness', startup: 'Startup' }

const endedText = 'rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state'

export interface Past {
  readonly known: FewMap<ProbeResult>
  readonly restarted: boolean
  /** Whether the container has passed its startup probe. */
  readonly isStarted: (record: ContainerRecord) => boolean
}

interface WorkerParts {
  readonly kind: ProbeKind
  readonly probe: Probe
  readonly name: string
}

export class ProbeWorker {
  readonly kind: ProbeKind
  readonly name: string
  readonly #run: PodLife
  readonly #probe: Probe
  readonly #known: FewMap<ProbeResult>
  readonly #isStarted: Past['isStarted']
  /** The container that the result is about. */
  #id: string | undefined
  #result: ProbeResult | undefined
  #lastFound: 'success' | 'failure' | undefined
  #inARow = 0
  #onHold = false
  #base: number
  #busy = false
  #asked = false
  #stopped = false
  #cancel: (() => void) | undefined

  constructor(run: PodLife, { kind, probe, name }: WorkerParts, { known, restarted, isStarted }: Past) {
    this.#run = run
    this.kind = kind
    this.#probe = probe
    this.name = name
    this.#known = known
    this.#isStarted = isStarted
    this.#base = run.now + (restarted ? run.around.random.next() * this.#periodMs : 0)
  }

  resultFor(id: string): ProbeResult | undefined {
    return this.#id === id ? this.#result : this.#known.get(`${this.kind} ${id}`)
  }

  /** No more probes; one that is under way is told of. */
  stop(): void {
    if (!this.#busy) this.#forget()
    this.#stopped = true
  }

  /** The kubelet itself is gone, and a probe that is under way with it. */
  abandon(): void {
    this.#forget()
    this.#stopped = true
  }

  #forget(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  statusSet(inSync: boolean): void {
    const record = this.#told()
    const waits = record?.state === 'running' && this.kind === 'readiness' && this.resultFor(record.id) !== 'success'
    if (inSync && waits && this.#isStarted(record)) this.#ask()
    else this.schedule()
  }

  /** Works out when the next probe that could matter is due. */
  schedule(): void {
    if (this.#busy || this.#stopped) return
    this.#forget()
    const at = this.#dueAt()
    if (at !== undefined) this.#cancel = this.#run.agenda.at(at, rank.probe, () => this.#tick())
  }

  get #periodMs(): number {
    return (this.#probe.periodSeconds ?? 10) * 1000
  }

  /** The container as the pod's status tells of it. */
  #told(): ContainerRecord | undefined {
    const { status } = this.#run
    const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])]
    const told = all.find(({ name }) => name === this.name)
    if (told?.containerID === undefined || told.state?.running === undefined) return undefined
    const seen = this.#run.seen.records.find(({ id }) => id === told.containerID)
    return seen?.state === 'running' ? seen : this.#run.record(told.containerID)
  }

  #dueAt(): number | undefined {
    const record = this.#told()
    if (record === undefined) return undefined
    const { now } = this.#run
    const isNew = record.id !== this.#id
    if (!isNew && this.#onHold) return undefined
    const started = this.#isStarted(record)
    if (!isNew && (this.kind === 'startup') === started) return undefined
    const delayedUntil = record.startedAt + (this.#probe.initialDelaySeconds ?? 0) * 1000
    let from = Math.max(now, delayedUntil - 1)
    if (!isNew && this.#result === 'success' && this.#run.record(record.id)?.state === 'running') {
      const finding = this.#look(record)
      if (finding.result === 'success' && !finding.warns) {
        const change = nextChange({ run: this.#run, record, kind: this.kind, probe: this.#probe })
        if (change === undefined) return undefined
        from = Math.max(from, change - 1)
      }
    }
    return nextBeat(from, this.#periodMs, this.#base % this.#periodMs)
  }

  /** A probe out of turn; the rhythm begins anew with it. */
  #ask(): void {
    if (this.#busy) {
      this.#asked = true
      return
    }
    this.#asked = false
    this.#cancel?.()
    this.#base = this.#run.now
    this.#cancel = this.#run.agenda.at(this.#run.now, rank.probe, () => this.#tick())
  }

  #tick(): void {
    this.#cancel = undefined
    const record = this.#told()
    if (record === undefined || this.#run.isDown) return
    if (record.id !== this.#id) {
      const known = this.#known.get(`${this.kind} ${record.id}`)
      this.#id = record.id
      this.#onHold = false
      this.#result = known
      if (known === undefined) this.#set(initialResult[this.kind])
    }
    const started = this.#isStarted(record)
    const early = Math.floor((this.#run.now - record.startedAt) / 1000) < (this.#probe.initialDelaySeconds ?? 0)
    if (this.#onHold || early || (this.kind === 'startup') === started) {
      this.schedule()
      return
    }
    const finding = this.#look(record)
    this.#busy = true
    // The first probe of a container has planned another already.
    this.#forget()
    this.#cancel = this.#run.agenda.at(this.#run.now + finding.takesMs, rank.probe, () => this.#found(finding))
  }

  #look(record: ContainerRecord): Finding {
    const silence = this.#probe.exec === undefined ? undefined : this.#run.around.runtimeTrouble()
    if (silence !== undefined) return { result: 'error', text: silence.message, takesMs: 0, warns: false }
    const running = this.#run.record(record.id)?.state === 'running'
    if (!running && this.#probe.exec !== undefined)
      return { result: 'error', text: endedText, takesMs: 0, warns: false }
    return lookAt({ run: this.#run, record, kind: this.kind, probe: this.#probe, running })
  }

  #found({ result, text, warns }: Finding): void {
    this.#busy = false
    if (this.#run.isDown) return
    const name = title[this.kind]
    if (warns) this.#tell('ProbeWarning', `${name} probe warning: ${text}`)
    if (result === 'error') this.#tell('Unhealthy', `${name} probe errored and resulted in unknown state: ${text}`)
    if (result === 'failure') this.#tell('Unhealthy', `${name} probe failed: ${text}`)
    if (this.#stopped) return
    // A probe that could not be carried out says nothing.
    if (result !== 'error') this.#count(result)
    if (this.#asked) this.#ask()
    else this.schedule()
  }

  #tell(reason: string, message: string): void {
    this.#run.event('Warning', reason, message, [this.#run.kindOf(this.name), this.name])
  }

  #count(found: 'success' | 'failure'): void {
    this.#inARow = found === this.#lastFound ? this.#inARow + 1 : 1
    this.#lastFound = found
    const { failureThreshold = 3, successThreshold = 1 } = this.#probe
    if (this.#inARow < (found === 'failure' ? failureThreshold : successThreshold)) return
    if (found === 'failure' && this.kind !== 'readiness') {
      this.#onHold = true
      this.#inARow = 0
    }
    this.#set(found)
  }

  #set(result: ProbeResult): void {
    if (this.#result === result) return
    this.#result = result
    const { kind } = this
    if (kind === 'liveness') {
      if (result === 'failure') this.#run.trigger()
      return
    }
    this.#run.tellProbe({ kind, containerID: this.#id ?? '', success: result === 'success' })
    const { agenda, now, around } = this.#run
    // That a container has started is on its way to the API before a sync has worked out what follows from it, mostly.
    const ahead = kind === 'startup' && result === 'success' && around.random.next() < aheadShare
    agenda.at(ahead ? now + around.timings.noticeMs : now, rank.work, () => this.#run.trigger())
  }
}
