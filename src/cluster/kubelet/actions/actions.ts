// What the next sync of a pod does with its containers (kuberuntime, computePodActions). Pure: from the spec, what the
// runtime had at its last listing, and what the probes found.

import type { Container } from '#kinds'
import { type ContainerRecord, type ContainerSpec, containersOf, latest } from '../containers/containers.ts'
import { shouldRestart } from '../status/container-status.ts'
import type { ActionInput, Kill, KillReason } from './action-input.ts'
import { decideInitActions } from './init-actions.ts'

export interface PodActions {
  /** Ends everything, the sandbox too. */
  readonly killPod: boolean
  readonly createSandbox: boolean
  readonly kill: readonly Kill[]
  readonly startEphemeral: readonly ContainerSpec[]
  readonly startInit: readonly ContainerSpec[]
  readonly start: readonly ContainerSpec[]
}

const nothing: PodActions = {
  killPod: false,
  createSandbox: false,
  kill: [],
  startEphemeral: [],
  startInit: [],
  start: [],
}

export function decideActions(input: ActionInput): PodActions {
  const { pod, sandbox, records } = input
  const containers = containersOf(pod.spec)
  if (sandbox?.ready !== true) return freshStart(input, containers)
  const startEphemeral = containers.filter(
    ({ kind, spec }) => kind === 'ephemeral' && latest(records, spec.name) === undefined,
  )
  const init = decideInitActions(
    input,
    containers.filter(({ kind }) => kind === 'init'),
  )
  const base = { ...nothing, startEphemeral, startInit: init.start, kill: init.kill }
  if (init.failed) return { ...base, killPod: true }
  if (!init.initialized) return base
  return withMain(input, base, containers)
}

function freshStart({ pod, sandbox, records }: ActionInput, containers: readonly ContainerSpec[]): PodActions {
  const { restartPolicy = 'Always' } = pod.spec
  const begun = sandbox !== undefined
  if (restartPolicy === 'Never' && begun && records.length > 0) return { ...nothing, killPod: true }
  const main = containers.filter(({ kind }) => kind === 'main')
  const start = main.filter(({ spec }) => {
    const record = latest(records, spec.name)
    return !(restartPolicy === 'OnFailure' && record?.state === 'exited' && record.exitCode === 0)
  })
  if (start.length === 0) return { ...nothing, killPod: true }
  const first = containers.find(({ kind }) => kind === 'init')
  const base = { ...nothing, killPod: begun, createSandbox: true }
  return first === undefined ? { ...base, start } : { ...base, startInit: [first] }
}

function withMain(input: ActionInput, base: PodActions, containers: readonly ContainerSpec[]): PodActions {
  const { pod, records } = input
  const start: ContainerSpec[] = []
  const kill: Kill[] = [...base.kill]
  let kept = 0
  for (const container of containers) {
    if (container.kind !== 'main') continue
    const { name } = container.spec
    const record = latest(records, name)
    if (record === undefined || record.state !== 'running') {
      if (shouldRestart(name, pod, records)) start.push(container)
      continue
    }
    const message = killMessage(input, container.spec as Container, record)
    if (message === undefined) {
      kept += 1
      continue
    }
    const restart = message.always || (pod.spec.restartPolicy ?? 'Always') !== 'Never'
    if (restart) start.push(container)
    kill.push({ record, message: textOf(message, restart), reason: message.reason })
  }
  // Nothing is left to run: sidecars do not keep the pod alive.
  if (kept === 0 && start.length === 0) return { ...base, killPod: true, startInit: [], kill: [] }
  return { ...base, start, kill }
}

interface KillMessage {
  readonly text: string
  readonly reason: KillReason
  /** Restarted whatever the restart policy. */
  readonly always: boolean
  /** The text says already that it restarts. */
  readonly complete?: boolean
}

const textOf = ({ text, complete }: KillMessage, restart: boolean): string =>
  restart && complete !== true ? `${text}, will be restarted` : text

function killMessage(input: ActionInput, { name, image }: Container, record: ContainerRecord): KillMessage | undefined {
  if (image !== record.specImage) return { text: `Container ${name} definition changed`, reason: 'other', always: true }
  if (input.failed(record, 'liveness'))
    return { text: `Container ${name} failed liveness probe`, reason: 'livenessProbe', always: false }
  if (input.failed(record, 'startup'))
    return { text: `Container ${name} failed startup probe`, reason: 'startupProbe', always: false }
  if (input.resizeRestarts.has(name))
    return { text: `Container ${name} resize requires restart`, reason: 'other', always: true, complete: true }
  return undefined
}
