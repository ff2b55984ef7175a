// The probes of one pod: when each is run, what it finds, and from how many like findings in a row it changes its mind
// (prober/worker.go). Probes that would find the same for ever are not run: only what can be seen is computed.

import type { Container, Probe } from '#kinds'
import { rank } from './agenda.ts'
import { type ContainerRecord, containersOf } from './containers.ts'
import { FewMap } from './few-map.ts'
import type { PodRun } from './pod-run.ts'
import { type Finding, lookAt, nextChange } from './probe-finding.ts'
import { nextBeat } from './timings.ts'
import type { ProbeKind } from './workload.ts'

type Result = 'success' | 'failure' | 'unknown'

const initialResult: Readonly<Record<ProbeKind, Result>> = {
  readiness: 'failure',
  liveness: 'success',
  startup: 'unknown',
}

const title: Readonly<Record<ProbeKind, string>> = { readiness: 'Readiness', liveness: 'Liveness', startup: 'Startup' }

const endedText = 'rpc error: code = Unknown desc = failed to exec in container: container is in CONTAINER_EXITED state'

export class Probing {
  readonly #run: PodRun
  #workers: readonly Worker[] | undefined
  /** Results that are known from before a restart of the kubelet, by kind and container id. */
  readonly #known = new FewMap<Result>()

  /** A kubelet that was just restarted spreads its first probes over their periods. */
  readonly #restarted: boolean

  constructor(run: PodRun, restarted: boolean) {
    this.#run = run
    this.#restarted = restarted
  }

  /** Called when the pod's containers are about to be started: from then on each probe has its rhythm. */
  begin(): void {
    if (this.#workers !== undefined) return
    this.#workers = containersOf(this.#run.pod.spec).flatMap(({ kind, spec, sidecar }) =>
      kind === 'main' || sidecar
        ? workersFor(this.#run, spec as Container, { known: this.#known, restarted: this.#restarted })
        : [],
    )
    for (const worker of this.#workers) worker.schedule()
  }

  know(kind: ProbeKind, id: string, result: Result): void {
    this.#known.set(`${kind} ${id}`, result)
  }

  isStarted(record: ContainerRecord): boolean {
    const worker = this.#worker('startup', record.name)
    return worker === undefined || worker.resultFor(record.id) === 'success'
  }

  isReady(record: ContainerRecord): boolean {
    const worker = this.#worker('readiness', record.name)
    return worker === undefined || worker.resultFor(record.id) === 'success'
  }

  hasFailed(kind: 'liveness' | 'startup', record: ContainerRecord): boolean {
    return this.#worker(kind, record.name)?.resultFor(record.id) === 'failure'
  }

  /** The pod's status was worked out; in a sync, containers that are not ready are looked at at once. */
  statusSet(inSync: boolean): void {
    for (const worker of this.#workers ?? []) worker.statusSet(inSync)
  }

  /** A container ended, or began to stop: probes may find something else from now on. */
  changed(): void {
    for (const worker of this.#workers ?? []) worker.schedule()
  }

  /** The pod is ending: liveness and startup matter no more. */
  stopRestarts(): void {
    this.#keep((kind) => kind === 'readiness')
  }

  stop(): void {
    this.#keep(() => false)
  }

  #keep(keeps: (kind: ProbeKind) => boolean): void {
    for (const worker of this.#workers ?? []) if (!keeps(worker.kind)) worker.stop()
    this.#workers = (this.#workers ?? []).filter(({ kind }) => keeps(kind))
  }

  #worker(kind: ProbeKind, name: string): Worker | undefined {
    return this.#workers?.find((worker) => worker.kind === kind && worker.name === name)
  }
}

interface Past {
  readonly known: FewMap<Result>
  readonly restarted: boolean
}

function workersFor(run: PodRun, spec: Container, past: Past): readonly Worker[] {
  const probes: readonly [ProbeKind, Probe | undefined][] = [
    ['startup', spec.startupProbe],
    ['readiness', spec.readinessProbe],
    ['liveness', spec.livenessProbe],
  ]
  return probes.flatMap(([kind, probe]) =>
    probe === undefined ? [] : [new Worker(run, { kind, probe, name: spec.name }, past)],
  )
}

interface WorkerParts {
  readonly kind: ProbeKind
  readonly probe: Probe
  readonly name: string
}

class Worker {
  readonly kind: ProbeKind
  readonly name: string
  readonly #run: PodRun
  readonly #probe: Probe
  readonly #known: FewMap<Result>
  /** The container that the result is about. */
  #id: string | undefined
  #result: Result | undefined
  #lastFound: 'success' | 'failure' | undefined
  #inARow = 0
  #onHold = false
  #base: number
  #busy = false
  #asked = false
  #cancel: (() => void) | undefined

  constructor(run: PodRun, { kind, probe, name }: WorkerParts, { known, restarted }: Past) {
    this.#run = run
    this.kind = kind
    this.#probe = probe
    this.name = name
    this.#known = known
    this.#base = run.now + (restarted ? run.around.random.next() * this.#periodMs : 0)
  }

  resultFor(id: string): Result | undefined {
    return this.#id === id ? this.#result : this.#known.get(`${this.kind} ${id}`)
  }

  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
    this.#onHold = true
    this.#asked = false
  }

  statusSet(inSync: boolean): void {
    const record = this.#told()
    const waits = record?.state === 'running' && this.kind === 'readiness' && this.resultFor(record.id) !== 'success'
    if (inSync && waits && this.#run.probing.isStarted(record)) this.#ask()
    else this.schedule()
  }

  /** Works out when the next probe that could matter is due. */
  schedule(): void {
    if (this.#busy) return
    this.#cancel?.()
    this.#cancel = undefined
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
    const started = this.#run.probing.isStarted(record)
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
    const started = this.#run.probing.isStarted(record)
    const early = Math.floor((this.#run.now - record.startedAt) / 1000) < (this.#probe.initialDelaySeconds ?? 0)
    if (this.#onHold || early || (this.kind === 'startup') === started) {
      this.schedule()
      return
    }
    const finding = this.#look(record)
    this.#busy = true
    this.#run.agenda.at(this.#run.now + finding.takesMs, rank.probe, () => this.#found(finding))
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
    if (this.#onHold || this.#run.isDown) return
    const name = title[this.kind]
    if (warns) this.#tell('ProbeWarning', `${name} probe warning: ${text}`)
    if (result === 'error') this.#tell('Unhealthy', `${name} probe errored and resulted in unknown state: ${text}`)
    if (result === 'failure') this.#tell('Unhealthy', `${name} probe failed: ${text}`)
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

  #set(result: Result): void {
    if (this.#result === result) return
    this.#result = result
    if (this.kind === 'liveness') {
      if (result === 'failure') this.#run.trigger()
      return
    }
    this.#run.refreshStatus()
    this.#run.trigger()
  }
}
