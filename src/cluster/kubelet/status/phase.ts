// The phase of a pod from the states of its containers (kubelet_pods.go, getPhase).

import { type ContainerStatus, isSidecar, type PodSpec, type PodStatus } from '#kinds'

export type Phase = NonNullable<PodStatus['phase']>

export const isTerminalPhase = (phase: Phase | undefined): boolean => phase === 'Succeeded' || phase === 'Failed'

type Statuses = readonly ContainerStatus[]

const named = (statuses: Statuses, wanted: string): ContainerStatus | undefined =>
  statuses.find(({ name }) => name === wanted)

interface Tally {
  unknown: number
  running: number
  waiting: number
  stopped: number
  succeeded: number
}

const exitOf = ({ state, lastState }: ContainerStatus): number | undefined =>
  state?.terminated?.exitCode ?? (state?.waiting === undefined ? undefined : lastState?.terminated?.exitCode)

interface InitTally {
  readonly pending: number
  readonly failed: number
}

function tallyInit(spec: PodSpec, statuses: Statuses): InitTally {
  let pending = 0
  let failed = 0
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) continue
    const status = named(statuses, container.name)
    const exitCode = status === undefined ? undefined : exitOf(status)
    if (exitCode === undefined) pending += 1
    else if (exitCode !== 0) failed += 1
  }
  return { pending, failed }
}

/** Sidecars that are not started yet hold the pod in Pending; ended ones do not count. */
function tallySidecars(spec: PodSpec, statuses: Statuses, tally: Tally): number {
  let pending = 0
  for (const container of spec.initContainers ?? []) {
    if (!isSidecar(container)) continue
    const status = named(statuses, container.name)
    if (status === undefined) tally.unknown += 1
    else if (status.state?.running !== undefined) {
      if (status.started !== true) pending += 1
      tally.running += 1
    } else if (status.state?.waiting !== undefined && status.lastState?.terminated === undefined) {
      pending += 1
      tally.waiting += 1
    }
  }
  return pending
}

function tallyMain(spec: PodSpec, statuses: Statuses, tally: Tally): void {
  for (const { name } of spec.containers) {
    const status = named(statuses, name)
    if (status === undefined) tally.unknown += 1
    else if (status.state?.running !== undefined) tally.running += 1
    else if (status.state?.terminated !== undefined) {
      tally.stopped += 1
      if (status.state.terminated.exitCode === 0) tally.succeeded += 1
    } else if (status.state?.waiting === undefined) tally.unknown += 1
    else if (status.lastState?.terminated === undefined) tally.waiting += 1
    else tally.stopped += 1
  }
}

export interface PhaseInput {
  readonly spec: PodSpec
  readonly statuses: readonly ContainerStatus[]
  /** No container will run again, whatever the restart policy says. */
  readonly terminal: boolean
  /** A main container has run: the pod does not go back to Pending. */
  readonly initialized: boolean
}

export function phaseOf({ spec, statuses, terminal, initialized }: PhaseInput): Phase {
  const tally: Tally = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 }
  const init = tallyInit(spec, statuses)
  const pendingSidecars = tallySidecars(spec, statuses, tally)
  tallyMain(spec, statuses, tally)
  const { restartPolicy = 'Always' } = spec
  if (init.failed > 0 && restartPolicy === 'Never') return 'Failed'
  if (init.pending > 0 || init.failed > 0) return 'Pending'
  if (pendingSidecars > 0 && !initialized) return 'Pending'
  if (tally.waiting > 0) return 'Pending'
  if (tally.running > 0 && tally.unknown === 0) return 'Running'
  if (tally.running > 0 || tally.stopped === 0 || tally.unknown > 0) return 'Pending'
  const allSucceeded = tally.stopped === tally.succeeded
  if (terminal) return allSucceeded ? 'Succeeded' : 'Failed'
  if (restartPolicy === 'Always') return 'Running'
  if (allSucceeded) return 'Succeeded'
  return restartPolicy === 'Never' ? 'Failed' : 'Running'
}
