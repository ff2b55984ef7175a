// Ending containers: hooks, signals and grace periods (kuberuntime, killContainersWithSyncResult).

import type { Container } from '#kinds'
import type { KillReason } from '../actions/action-input.ts'
import { type ContainerRecord, containersOf, runningRecord } from '../containers/containers.ts'
import { Gate, type Process, rank } from '../ground/agenda.ts'
import type { PodLife } from '../life/pod-life.ts'
import { type ContainerWorkload, runOf } from '../workload/workload.ts'
import { runHook } from './hooks.ts'
import { terminationMessage } from './termination-message.ts'

/** Containers always get this long. */
const leastGraceSeconds = 2
const killed = 137
/** What the runtime says of a process that ended without it. */
const unknownExitCode = 255

/** How a process ends: by itself, because somebody sent a signal, because the kernel needs its memory, or with its machine. */
export type EndCause = 'own' | 'signal' | 'oom' | 'lost'

/** The container's process has ended. */
export function endContainer(run: PodLife, id: string, exitCode: number, cause: EndCause = 'own'): void {
  const record = run.record(id)
  if (record === undefined || record.state === 'exited') return
  const workload = run.around.workloads.container(run.pod, record.name)
  const life = runOf(workload, record.attempt)
  const oom = cause === 'oom' || (life.oomKilled === true && cause === 'own')
  run.put({
    ...record,
    state: 'exited',
    finishedAt: run.now,
    exitCode,
    reason: oom ? 'OOMKilled' : cause === 'lost' ? 'Unknown' : exitCode === 0 ? 'Completed' : 'Error',
    message: cause === 'lost' ? '' : terminationMessage(run, record, { ...life, exitCode }),
  })
  run.answersChanged()
}

/** The kernel has no memory left and takes that of a container. */
export function endForMemory(run: PodLife, name: string): void {
  const record = runningRecord(run.records, name)
  if (record !== undefined) endContainer(run, record.id, killed, 'oom')
}

/** The machine went down under the pod: after that the runtime only knows that everything has ended. */
export function endAll(run: PodLife): void {
  for (const { id, state } of run.records) if (state !== 'exited') endContainer(run, id, unknownExitCode, 'lost')
  if (run.sandbox !== undefined) run.sandbox = { ...run.sandbox, ready: false }
  run.seen = { records: run.records, sandbox: run.sandbox }
  run.mounted = false
}

export interface KillOptions {
  readonly message: string
  readonly reason: KillReason
  /** Overrides what the pod says. */
  readonly graceSeconds?: number
  /** Ends only after these have ended: sidecars outlive the others. */
  readonly after?: readonly Gate[]
}

/** Ends one container and waits until it has ended. */
export function* killContainer(run: PodLife, record: ContainerRecord, options: KillOptions): Process {
  run.event('Normal', 'Killing', options.message, [record.kind, record.name])
  if (run.record(record.id)?.state !== 'running') return
  let graceSeconds = options.graceSeconds ?? graceOf(run, record, options.reason)
  const workload = run.around.workloads.container(run.pod, record.name)
  if (graceSeconds > 0) graceSeconds -= yield* preStop(run, record, graceSeconds)
  const after = (options.after ?? []).filter((gate) => !gate.isOpen)
  if (after.length > 0 && graceSeconds > 0) graceSeconds -= yield* waitForTurn(run, after, graceSeconds)
  stop(run, record, { workload, graceSeconds: Math.max(graceSeconds, leastGraceSeconds) })
  yield { gates: [run.exitOf(record.id)] }
}

function specOf(run: PodLife, { name }: ContainerRecord): Container | undefined {
  return containersOf(run.pod.spec).find(({ spec }) => spec.name === name)?.spec as Container | undefined
}

function graceOf(run: PodLife, record: ContainerRecord, reason: KillReason): number {
  const { deletionGracePeriodSeconds } = run.pod.metadata
  if (deletionGracePeriodSeconds !== undefined) return deletionGracePeriodSeconds
  const spec = specOf(run, record)
  const probe =
    reason === 'livenessProbe' ? spec?.livenessProbe : reason === 'startupProbe' ? spec?.startupProbe : undefined
  return probe?.terminationGracePeriodSeconds ?? run.pod.spec.terminationGracePeriodSeconds ?? leastGraceSeconds
}

/**
 * Waits for the hook, for as long as the grace period lets it; answers the whole seconds that it took. A hook that takes
 * longer goes on until its container has ended.
 */
function* preStop(run: PodLife, record: ContainerRecord, graceSeconds: number): Process<number> {
  const handler = specOf(run, record)?.lifecycle?.preStop
  if (handler === undefined) return 0
  const begunAt = run.now
  run.preStopAt.set(record.id, begunAt)
  run.answersChanged()
  run.around.onTraffic?.(run.pod)
  const outcome = run.around.workloads.container(run.pod, record.name).hooks?.preStop
  const done = new Gate()
  run.agenda.run(runHook(run, { record, handler, outcome }), (error) => {
    if (error !== undefined) run.event('Warning', 'FailedPreStopHook', 'PreStopHook failed', [record.kind, record.name])
    done.open()
  })
  yield { ms: graceSeconds * 1000, gates: [done] }
  return Math.floor((run.now - begunAt) / 1000)
}

function* waitForTurn(run: PodLife, gates: readonly Gate[], graceSeconds: number): Process<number> {
  const begunAt = run.now
  const until = begunAt + graceSeconds * 1000
  for (const gate of gates) {
    if (!gate.isOpen && run.now < until) yield { ms: until - run.now, gates: [gate] }
  }
  return Math.floor((run.now - begunAt) / 1000)
}

interface Stop {
  readonly workload: ContainerWorkload
  readonly graceSeconds: number
}

/** When and how the process ends on SIGTERM; undefined when it has no handler. */
function onTerm(
  run: PodLife,
  { startedAt }: ContainerRecord,
  { onSigterm = { exitCode: 0, afterSeconds: 0.2 } }: ContainerWorkload,
): { readonly at: number; readonly exitCode: number } | undefined {
  const elapsed = (run.now - startedAt) / 1000
  if (onSigterm === 'ignored' || elapsed < (onSigterm.ignoredBeforeSeconds ?? 0)) return undefined
  const deferred = onSigterm.deferredUntilSeconds?.find((until) => elapsed < until)
  const scale = run.around.timings.startMs === 0 ? 0 : 1
  const at = deferred === undefined ? run.now + onSigterm.afterSeconds * 1000 * scale : startedAt + deferred * 1000
  return { at, exitCode: onSigterm.exitCode }
}

/** SIGTERM now, SIGKILL when the grace period is over. */
function stop(run: PodLife, record: ContainerRecord, { workload, graceSeconds }: Stop): void {
  const killAt = run.now + graceSeconds * 1000
  const own = onTerm(run, record, workload)
  const { at, exitCode } = own !== undefined && own.at <= killAt ? own : { at: killAt, exitCode: killed }
  run.agenda.at(at, rank.runtime, () => endContainer(run, record.id, exitCode, 'signal'))
}

const sigterm = 15

/** A signal from outside of the kubelet to the first process of a container; false when that does not run. */
export function sendSignal(run: PodLife, name: string, signal: number): boolean {
  const record = runningRecord(run.records, name)
  if (record === undefined) return false
  const workload = run.around.workloads.container(run.pod, name)
  // Only SIGTERM is ever handled; the kernel does not deliver it to a first process without a handler.
  const end = signal === sigterm ? onTerm(run, record, workload) : { at: run.now, exitCode: 128 + signal }
  if (end !== undefined) run.agenda.at(end.at, rank.runtime, () => endContainer(run, record.id, end.exitCode, 'signal'))
  return true
}

/**
 * Those that a container outlives when all are ended together: a sidecar all main containers, and the sidecar after it.
 * Others wait for nobody.
 */
function outlived(run: PodLife, { name }: ContainerRecord): readonly string[] {
  const all = containersOf(run.pod.spec)
  const sidecars = all.filter(({ sidecar }) => sidecar).map(({ spec }) => spec.name)
  const at = sidecars.indexOf(name)
  if (at < 0) return []
  const main = all.filter(({ kind }) => kind === 'main').map(({ spec }) => spec.name)
  return [...main, ...sidecars.slice(at + 1, at + 2)]
}

/** Ends every container, main ones first, then sidecars in reverse order, and then the sandbox. */
export function* killPod(run: PodLife, graceSeconds: number | undefined): Process {
  const running = run.records.filter(({ state }) => state === 'running')
  for (const record of running) {
    const before = outlived(run, record)
    const message = `Stopping container ${record.name}`
    const after = running.filter(({ name }) => before.includes(name)).map(({ id }) => run.exitOf(id))
    const grace = graceSeconds === undefined ? {} : { graceSeconds }
    run.agenda.run(killContainer(run, record, { message, reason: 'other', after, ...grace }))
  }
  for (const { id } of running) yield { gates: [run.exitOf(id)] }
  if (run.sandbox?.ready !== true) return
  yield { ms: run.around.timings.stopSandboxMs }
  run.sandbox = { ...run.sandbox, ready: false }
  run.runtimeChanged()
}
