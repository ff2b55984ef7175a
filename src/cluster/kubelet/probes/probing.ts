// The probes of one pod: begun with its containers, kept through a restart of the kubelet, and asked what they hold of a
// container (prober/prober_manager.go).

import type { Container, Probe } from '#kinds'
import { type ContainerRecord, containersOf } from '../containers/containers.ts'
import { FewMap } from '../ground/few-map.ts'
import type { PodLife } from '../life/pod-life.ts'
import type { ProbeKind } from '../workload/workload.ts'
import { type Past, type ProbeResult, ProbeWorker } from './probe-worker.ts'

export class Probing {
  readonly #run: PodLife
  #workers: readonly ProbeWorker[] | undefined
  /** Results that are known from before a restart of the kubelet, by kind and container id. */
  readonly #known = new FewMap<ProbeResult>()

  /** A kubelet that was just restarted spreads its first probes over their periods. */
  readonly #restarted: boolean

  constructor(run: PodLife, restarted: boolean) {
    this.#run = run
    this.#restarted = restarted
  }

  /** Called when the pod's containers are about to be started: from then on each probe has its rhythm. */
  begin(): void {
    if (this.#workers !== undefined) return
    this.#workers = containersOf(this.#run.pod.spec).flatMap(({ kind, spec, sidecar }) =>
      kind === 'main' || sidecar ? workersFor(this.#run, spec as Container, this.#past()) : [],
    )
    for (const worker of this.#workers) worker.schedule()
  }

  #past(): Past {
    return { known: this.#known, restarted: this.#restarted, isStarted: (record) => this.isStarted(record) }
  }

  know(kind: ProbeKind, id: string, result: ProbeResult): void {
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

  /** The pod is ending: liveness and startup matter no more. Those of sidecars are asked on, though nothing comes of it. */
  stopRestarts(): void {
    const { containers } = this.#run.pod.spec
    this.#keep(({ kind, name }) => kind === 'readiness' || !containers.some((container) => container.name === name))
  }

  stop(): void {
    this.#keep(() => false)
  }

  abandon(): void {
    for (const worker of this.#workers ?? []) worker.abandon()
  }

  #keep(keeps: (worker: ProbeWorker) => boolean): void {
    for (const worker of this.#workers ?? []) if (!keeps(worker)) worker.stop()
    this.#workers = (this.#workers ?? []).filter(keeps)
  }

  #worker(kind: ProbeKind, name: string): ProbeWorker | undefined {
    return this.#workers?.find((worker) => worker.kind === kind && worker.name === name)
  }
}

function workersFor(run: PodLife, spec: Container, past: Past): readonly ProbeWorker[] {
  const probes: readonly [ProbeKind, Probe | undefined][] = [
    ['startup', spec.startupProbe],
    ['readiness', spec.readinessProbe],
    ['liveness', spec.livenessProbe],
  ]
  return probes.flatMap(([kind, probe]) =>
    probe === undefined ? [] : [new ProbeWorker(run, { kind, probe, name: spec.name }, past)],
  )
}
