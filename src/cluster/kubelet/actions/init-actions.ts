// What the next sync does with a pod's init containers and sidecars (kuberuntime, computeInitContainerActions). They are
// looked at from the last to the first: the last one that has left a trace says how far the pod has come. Pure.

import type { Container } from '#kinds'
import { type ContainerRecord, type ContainerSpec, latest } from '../containers/containers.ts'
import type { ActionInput, Kill, KillReason } from './action-input.ts'

export interface InitActions {
  /** The main containers may be started. */
  readonly initialized: boolean
  /** An init container failed for good. */
  readonly failed: boolean
  readonly start: readonly ContainerSpec[]
  readonly kill: readonly Kill[]
}

const none: InitActions = { initialized: true, failed: false, start: [], kill: [] }

export function decideInitActions(input: ActionInput, containers: readonly ContainerSpec[]): InitActions {
  const [first] = containers
  if (first === undefined) return none
  const start: ContainerSpec[] = []
  const kill: Kill[] = []
  let initialized = mainIsThere(input)
  // An init container after the one at hand has left a trace, or a main container has.
  let passed = initialized
  for (let i = containers.length - 1; i >= 0; i -= 1) {
    const container = containers[i]
    if (container === undefined) continue
    const record = latest(input.records, container.spec.name)
    if (record === undefined) {
      if (passed && container.sidecar) start.push(container)
      continue
    }
    if (passed && !container.sidecar) continue
    const step = stepOf(input, container, record)
    if (step.failed) return { ...none, initialized: false, failed: true }
    const next = containers[i + 1]
    if (step.done && next === undefined) initialized = true
    else if (step.done && next !== undefined && !passed) start.push(next)
    if (step.restart) start.push(container)
    if (step.kill !== undefined) kill.push({ record, ...step.kill })
    passed = true
  }
  if (!passed) start.push(first)
  return { initialized, failed: false, start: start.reverse(), kill }
}

/** A main container runs: whatever is known of init containers, they have done their work. */
const mainIsThere = ({ pod, records }: ActionInput): boolean =>
  pod.spec.containers.some(({ name }) => {
    const state = latest(records, name)?.state
    return state === 'created' || state === 'running'
  })

interface Step {
  /** The next one may begin. */
  readonly done: boolean
  readonly failed?: boolean
  readonly restart?: boolean
  readonly kill?: { readonly message: string; readonly reason: KillReason }
}

const waiting: Step = { done: false }

function stepOf(input: ActionInput, container: ContainerSpec, record: ContainerRecord): Step {
  if (record.state === 'created') return { done: false, restart: true }
  if (container.sidecar) return record.state === 'exited' ? { done: false, restart: true } : sidecarStep(input, record)
  if (record.state !== 'exited') return waiting
  if (record.exitCode === 0) return { done: true }
  return (input.pod.spec.restartPolicy ?? 'Always') === 'Never'
    ? { done: false, failed: true }
    : { done: false, restart: true }
}

/** A sidecar that runs: it is done with its part once it is started, and is kept alive from then on. */
function sidecarStep(input: ActionInput, record: ContainerRecord): Step {
  const { name } = record
  const again = (text: string, reason: KillReason, done = true): Step => ({
    done,
    restart: true,
    kill: { message: `Init container ${name} ${text}`, reason },
  })
  if (input.failed(record, 'startup')) return again('failed startup probe', 'startupProbe', false)
  if (!input.isStarted(record)) return waiting
  const image = (input.pod.spec.initContainers ?? []).find((one: Container) => one.name === name)?.image
  if (image !== record.specImage) return again('definition changed', 'other')
  if (input.failed(record, 'liveness')) return again('failed liveness probe', 'livenessProbe')
  if (!input.resizeRestarts.has(name)) return { done: true }
  return { done: true, restart: true, kill: { message: `Container ${name} resize requires restart`, reason: 'other' } }
}
