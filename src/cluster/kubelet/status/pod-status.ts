// The status of a pod as the kubelet sees it (generateAPIPodStatus), what of it may be told yet (mergePodStatus), and the
// last word on a pod that has ended (TerminatePod). Pure.

import { type ContainerStatus, isSidecar, type Pod, type PodCondition, type PodStatus } from '#kinds'
import { formatTime } from '#objects'
import { containersOf, type Sandbox } from '../containers/containers.ts'
import { kubeletConditions, standardConditions } from './conditions.ts'
import { type ContainerView, containerStatus } from './container-status.ts'
import { isTerminalPhase, type Phase, phaseOf } from './phase.ts'

export interface StatusInput extends ContainerView {
  /** The kubelet's own last status, or what the API says. */
  readonly old: PodStatus
  readonly sandbox: Sandbox | undefined
  readonly hostIP: string
  readonly terminal: boolean
  /** The pod is past its deadline: phase, reason and conditions follow. */
  readonly deadline: Verdict | undefined
  /** The pod is being evicted: phase and reason follow, conditions do not yet. */
  readonly eviction: Verdict | undefined
  /** Further conditions of the kubelet (resize), in front of the others. */
  readonly extra: readonly PodCondition[]
  readonly now: number
}

export interface Verdict {
  readonly reason: string
  readonly message: string
}

const nothing: readonly ContainerStatus[] = []

/** The statuses of all containers, or the one list that there is. */
function allStatuses(old: PodStatus): readonly ContainerStatus[] {
  const { initContainerStatuses, containerStatuses = nothing, ephemeralContainerStatuses } = old
  if (initContainerStatuses === undefined && ephemeralContainerStatuses === undefined) return containerStatuses
  return [...(initContainerStatuses ?? nothing), ...containerStatuses, ...(ephemeralContainerStatuses ?? nothing)]
}

const noConditions: readonly PodCondition[] = []

/** Conditions that others keep. */
function foreign(conditions: readonly PodCondition[] | undefined): readonly PodCondition[] {
  if (conditions === undefined) return noConditions
  return conditions.every(({ type }) => kubeletConditions.has(type))
    ? noConditions
    : conditions.filter(({ type }) => !kubeletConditions.has(type))
}

/** Whether a main container was made in the sandbox that there is: the pod was initialised then. */
const hasBegun = ({ sandbox, records }: StatusInput): boolean =>
  sandbox?.ready === true && records.some(({ kind, createdAt }) => kind === 'main' && createdAt >= sandbox.createdAt)

const byName = (a: ContainerStatus, b: ContainerStatus): number => (a.name < b.name ? -1 : 1)

export function podStatus(input: StatusInput): PodStatus {
  const { pod, old, hostIP, now, eviction } = input
  const before = allStatuses(old)
  const init: ContainerStatus[] = []
  const main: ContainerStatus[] = []
  const ephemeral: ContainerStatus[] = []
  const lists = { init, main, ephemeral }
  for (const container of containersOf(pod.spec)) lists[container.kind].push(containerStatus(container, input, before))
  const counted = init.length === 0 ? main : [...init, ...main]
  const initialized = init.length > 0 && hasBegun(input)
  const found = phaseOf({ spec: pod.spec, statuses: counted, terminal: input.terminal, initialized })
  const { phase, verdict } = settled(found, input)
  const others = foreign(pod.status?.conditions)
  const { generation } = pod.metadata
  const stamp = { before: old.conditions ?? [], generation, now }
  const ip = input.sandbox?.ip ?? (pod.spec.hostNetwork === true ? hostIP : undefined)
  const conditions = standardConditions(
    { spec: pod.spec, phase, statuses: counted, others, sandboxReady: input.sandbox?.ready === true },
    stamp,
  )
  // Fields that may be missing are added at the end, one by one: V8 gives an object that is made by spreading others a
  // hidden class of its own, and whoever reads it later pays for that.
  const status: Draft = {
    phase: eviction === undefined ? phase : 'Failed',
    conditions: others.length + input.extra.length === 0 ? conditions : [...others, ...input.extra, ...conditions],
    hostIP,
    hostIPs: addressList(hostIP),
    startTime: old.startTime ?? formatTime(now),
    containerStatuses: main.length > 1 ? main.sort(byName) : main,
    qosClass: pod.status?.qosClass ?? 'BestEffort',
  }
  if (generation !== undefined) status.observedGeneration = generation
  if (ip !== undefined) {
    status.podIP = ip
    status.podIPs = [{ ip }]
  }
  const { reason, message } = eviction ?? verdict
  if (reason !== undefined) status.reason = reason
  if (message !== undefined) status.message = message
  if (init.length > 0) status.initContainerStatuses = init
  if (ephemeral.length > 0) status.ephemeralContainerStatuses = ephemeral.sort(byName)
  return status
}

type Draft = { -readonly [K in keyof PodStatus]: PodStatus[K] }

let lastList: readonly { readonly ip: string }[] = []

/** The pods of a node share the list of its addresses. */
function addressList(ip: string): readonly { readonly ip: string }[] {
  if (lastList[0]?.ip !== ip) lastList = [{ ip }]
  return lastList
}

/** A pod does not come back from a terminal phase, and keeps the reason that was given with its phase. */
function settled(
  found: Phase,
  { old, pod, deadline }: StatusInput,
): { readonly phase: Phase; readonly verdict: Partial<Verdict> } {
  if (deadline !== undefined) return { phase: 'Failed', verdict: deadline }
  const terminal = [old.phase, pod.status?.phase].find(isTerminalPhase)
  const phase = isTerminalPhase(found) || terminal === undefined ? found : terminal
  if (phase !== old.phase) return { phase, verdict: {} }
  const reason = old.reason ?? pod.status?.reason
  const message = old.message ?? pod.status?.message
  return {
    phase,
    verdict: { ...(reason === undefined ? {} : { reason }), ...(message === undefined ? {} : { message }) },
  }
}

/**
 * What is told to the API server: conditions of others as they are there, and no terminal phase while containers could
 * still be running.
 */
export function toldStatus(own: PodStatus, api: PodStatus, couldRun: boolean): PodStatus {
  const told = mergedStatus(own, api, couldRun)
  const { resourceClaimStatuses: claims } = api
  // Not the kubelet's, and left as it is.
  return claims === undefined || claims === told.resourceClaimStatuses
    ? told
    : { ...told, resourceClaimStatuses: claims }
}

function mergedStatus(own: PodStatus, api: PodStatus, couldRun: boolean): PodStatus {
  const others = foreign(api.conditions)
  const ending = isTerminalPhase(own.phase) && !isTerminalPhase(api.phase)
  if (!ending && others.length === 0 && foreign(own.conditions).length === 0) return own
  const added = (own.conditions ?? []).filter(
    ({ type }) => !kubeletConditions.has(type) && ending && !couldRun && !others.some((other) => other.type === type),
  )
  const mine = (own.conditions ?? []).filter(({ type }) => kubeletConditions.has(type))
  const merged: PodStatus = { ...own, conditions: [...others, ...added, ...mine] }
  if (!ending || !couldRun) return merged
  const { phase, reason, message, ...rest } = merged
  return {
    ...rest,
    ...(api.phase === undefined ? {} : { phase: api.phase }),
    ...(api.reason === undefined ? {} : { reason: api.reason }),
    ...(api.message === undefined ? {} : { message: api.message }),
  }
}

const lost = (text: string): ContainerStatus['state'] => ({
  terminated: {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: text,
    startedAt: null as unknown as string,
    finishedAt: null as unknown as string,
  },
})

const withoutTrace = lost('The container could not be located when the pod was terminated')

const ended = (status: ContainerStatus): ContainerStatus =>
  status.state?.terminated === undefined ? { ...status, state: withoutTrace ?? {} } : status

/** Whether the main containers were due to run, by what was last said of the pod. */
function wasInitialized({ spec, status }: Pod): boolean {
  const last = spec.initContainers?.at(-1)
  if (last === undefined) return true
  if (status?.containerStatuses?.some(hasRun)) return true
  const done = status?.initContainerStatuses?.find(({ name }) => name === last.name)
  if (isSidecar(last)) return done?.state?.running !== undefined && done.started === true
  return [done?.state, done?.lastState].some((state) => state?.terminated?.exitCode === 0)
}

/** Whether a container shows any trace of having run. */
const hasRun = ({ state, lastState }: ContainerStatus): boolean =>
  state?.waiting === undefined || lastState?.terminated !== undefined

/** Init containers up to the last one that has run; the first one counts as begun in any case. */
function endedInit(statuses: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const last = Math.max(0, statuses.findLastIndex(hasRun))
  return statuses.map((status, i) => (i <= last ? ended(status) : status))
}

/** The last word: every container has ended, or is counted as lost; the phase is terminal. */
export function finalStatus(own: PodStatus, pod: Pod): PodStatus {
  const main = own.containerStatuses ?? nothing
  const init = own.initContainerStatuses
  return {
    ...own,
    phase: isTerminalPhase(own.phase) ? (own.phase ?? 'Failed') : 'Failed',
    containerStatuses: wasInitialized(pod) ? main.map(ended) : main,
    ...(init === undefined ? {} : { initContainerStatuses: endedInit(init) }),
  }
}
