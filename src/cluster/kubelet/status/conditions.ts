// The conditions that the kubelet keeps, in Kubernetes' order and words (status/generate.go).

import { type Container, type ContainerStatus, isSidecar, type PodCondition, type PodSpec } from '#kinds'
import { formatTime } from '#objects'
import { goList, goQuote } from '../ground/go-text.ts'
import type { Phase } from './phase.ts'

export const kubeletConditions: ReadonlySet<string> = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
])

interface Verdict {
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

const yes: Verdict = { status: 'True' }

export interface ConditionInput {
  readonly spec: PodSpec
  readonly phase: Phase
  /** Init containers, then main containers. */
  readonly statuses: readonly ContainerStatus[]
  /** Conditions of others: readiness gates look at them. */
  readonly others: readonly PodCondition[]
  readonly sandboxReady: boolean
}

export function readyToStart({ sandboxReady }: ConditionInput): Verdict {
  return sandboxReady ? yes : { status: 'False' }
}

const named = (statuses: readonly ContainerStatus[], name: string): ContainerStatus | undefined =>
  statuses.find((status) => status.name === name)

function unreadiness(
  words: { readonly incomplete: string },
  names: readonly string[],
  unknown: readonly string[],
): string {
  return [
    ...(unknown.length === 0 ? [] : [`containers with unknown status: ${goList(unknown)}`]),
    ...(names.length === 0 ? [] : [`containers with ${words.incomplete} status: ${goList(names)}`]),
  ].join(', ')
}

export function initialized({ spec, phase, statuses }: ConditionInput): Verdict {
  if (spec.initContainers === undefined || spec.initContainers.length === 0)
    return phase === 'Succeeded' ? { status: 'True', reason: 'PodCompleted' } : yes
  const unknown: string[] = []
  const incomplete: string[] = []
  for (const container of spec.initContainers) {
    const status = named(statuses, container.name)
    if (status === undefined) unknown.push(container.name)
    else if (isSidecar(container) ? status.started !== true : !status.ready) incomplete.push(container.name)
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'True', reason: 'PodCompleted' }
  if (unknown.length === 0 && incomplete.length === 0) return yes
  // A pod whose main containers have started was initialized, even if a sidecar is down now.
  if (hasStarted(spec, statuses)) return yes
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: unreadiness({ incomplete: 'incomplete' }, incomplete, unknown),
  }
}

/** Whether a main container runs or has ended; one that waits for its next start does not count. */
export const hasStarted = ({ containers }: PodSpec, statuses: readonly ContainerStatus[]): boolean =>
  containers.some(({ name }) => {
    const state = named(statuses, name)?.state
    return state?.running !== undefined || state?.terminated !== undefined
  })

export function containersReady({ spec, phase, statuses }: ConditionInput): Verdict {
  const unknown: string[] = []
  const unready: string[] = []
  const look = ({ name }: Container): void => {
    const status = named(statuses, name)
    if (status === undefined) unknown.push(name)
    else if (!status.ready) unready.push(name)
  }
  for (const container of spec.initContainers ?? []) if (isSidecar(container)) look(container)
  for (const container of spec.containers) look(container)
  if (phase === 'Succeeded' && unknown.length === 0) return { status: 'False', reason: 'PodCompleted' }
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' }
  if (unknown.length === 0 && unready.length === 0) return yes
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: unreadiness({ incomplete: 'unready' }, unready, unknown),
  }
}

export function podReady(input: ConditionInput, containers: Verdict = containersReady(input)): Verdict {
  if (containers.status === 'False') return containers
  if (input.spec.readinessGates === undefined) return yes
  const texts = input.spec.readinessGates.flatMap(({ conditionType }) => {
    const condition = input.others.find(({ type }) => type === conditionType)
    if (condition === undefined)
      return [`corresponding condition of pod readiness gate ${goQuote(conditionType)} does not exist.`]
    return condition.status === 'True'
      ? []
      : [`the status of pod readiness gate ${goQuote(conditionType)} is not "True", but ${condition.status}`]
  })
  if (texts.length === 0) return yes
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: texts.join(', ') }
}

export interface Stamp {
  /** The conditions before: a condition that keeps its status keeps its time. */
  readonly before: readonly PodCondition[]
  readonly generation: number | undefined
  readonly now: number
}

export function stamped(type: string, verdict: Verdict, { before, generation, now }: Stamp): PodCondition {
  const old = before.find((condition) => condition.type === type)
  const lastTransitionTime =
    old?.status === verdict.status && old.lastTransitionTime !== undefined ? old.lastTransitionTime : formatTime(now)
  if (verdict.reason === undefined && verdict.message === undefined && generation !== undefined)
    return plain(type, verdict.status, { generation, time: lastTransitionTime })
  return {
    type,
    status: verdict.status,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    // Always in the stored form, with this value, as Kubernetes' own type has it.
    lastProbeTime: null as unknown as string,
    lastTransitionTime,
    ...(verdict.reason === undefined ? {} : { reason: verdict.reason }),
    ...(verdict.message === undefined ? {} : { message: verdict.message }),
  }
}

/** Conditions without a text: the same ones stand in all pods that became ready in one second. */
const plainOnes = new Map<string, PodCondition>()
const plainLimit = 1000

function plain(
  type: string,
  status: string,
  { generation, time }: { readonly generation: number; readonly time: string },
): PodCondition {
  const key = `${type} ${status} ${generation} ${time}`
  const known = plainOnes.get(key)
  if (known !== undefined) return known
  const made: PodCondition = {
    type,
    status,
    observedGeneration: generation,
    lastProbeTime: null as unknown as string,
    lastTransitionTime: time,
  }
  if (plainOnes.size >= plainLimit) plainOnes.clear()
  plainOnes.set(key, made)
  return made
}

/** The five conditions of every pod. */
export function standardConditions(input: ConditionInput, stamp: Stamp): readonly PodCondition[] {
  const containers = containersReady(input)
  return [
    stamped('PodReadyToStartContainers', readyToStart(input), stamp),
    stamped('Initialized', initialized(input), stamp),
    stamped('Ready', podReady(input, containers), stamp),
    stamped('ContainersReady', containers, stamp),
    stamped('PodScheduled', yes, stamp),
  ]
}
