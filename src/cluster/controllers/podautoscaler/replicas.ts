// How many replicas one metric asks for: the replica calculator of Kubernetes. Pods that cannot be judged yet
// (starting, without a sample) hold back both ways of scaling. Amounts are thousandths. Pure.

import { isSidecar, type Pod, podRequests } from '#kinds'
import { parseTime, quantityMilliValue } from '#objects'

/** What a pod's containers took together. */
export interface PodMetric {
  readonly value: number
  readonly at: number
  readonly windowMs: number
}

export type PodMetrics = ReadonlyMap<string, PodMetric>

export interface Question {
  readonly currentReplicas: number
  readonly resource: string
  /** Only this container counts, if it is named. */
  readonly container?: string
  readonly pods: readonly Pod[]
  readonly metrics: PodMetrics
  readonly now: number
}

/** What the calculator cannot answer; the message goes into conditions and Events. */
export class CannotCalculate extends Error {
  override readonly name = 'CannotCalculate'
}

export interface Proposal {
  readonly replicas: number
  /** Mean of the counted pods. */
  readonly average: number
  /** Percentage of the request. */
  readonly utilization?: number
}

const tolerance = 0.1
/** CPU samples of a pod that started this recently say nothing while it is not ready. */
const startupMs = 300_000
/** A pod that became unready this soon after its start has never been ready. */
const firstReadinessMs = 30_000

const isTolerable = (ratio: number): boolean => 1 - tolerance <= ratio && ratio <= 1 + tolerance

interface Groups {
  readonly ready: number
  readonly unready: readonly string[]
  readonly missing: readonly string[]
  /** Metrics of the pods that count. */
  readonly counted: ReadonlyMap<string, number>
}

function group({ pods, metrics, resource, now }: Question): Groups {
  const counted = new Map([...metrics].map(([name, { value }]) => [name, value]))
  const unready: string[] = []
  const missing: string[] = []
  let ready = 0
  for (const pod of pods) {
    const { name = '', deletionTimestamp } = pod.metadata
    const metric = metrics.get(name)
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') counted.delete(name)
    else if (pod.status?.phase === 'Pending') unready.push(name)
    else if (metric === undefined) missing.push(name)
    else if (resource === 'cpu' && isStarting(pod, metric, now)) unready.push(name)
    else ready += 1
  }
  for (const name of unready) counted.delete(name)
  return { ready, unready, missing, counted }
}

function isStarting({ status }: Pod, metric: PodMetric, now: number): boolean {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  const startedAt = parseTime(status?.startTime)
  if (condition === undefined || startedAt === undefined) return true
  const changedAt = parseTime(condition.lastTransitionTime) ?? 0
  const isUnready = condition.status === 'False'
  if (startedAt + startupMs > now) return isUnready || metric.at < changedAt + metric.windowMs
  return isUnready && startedAt + firstReadinessMs > changedAt
}

function requestsOf({ pods, container, resource }: Question): ReadonlyMap<string, number> {
  const requests = new Map<string, number>()
  for (const { metadata, spec } of pods) {
    if (container === undefined && Object.keys(spec.resources?.requests ?? {}).length > 0) {
      const request = requestOfWhole(spec, resource)
      if (request === 0) throw new CannotCalculate(`missing pod-level request for ${resource} in Pod ${metadata.name}`)
      requests.set(metadata.name ?? '', request)
      continue
    }
    let sum = 0
    for (const { name, resources } of [...spec.containers, ...(spec.initContainers ?? []).filter(isSidecar)]) {
      if (container !== undefined && container !== name) continue
      const request = resources?.requests?.[resource]
      if (request === undefined)
        throw new CannotCalculate(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`)
      sum += quantityMilliValue(request)
    }
    requests.set(metadata.name ?? '', sum)
  }
  return requests
}

/** Of a pod that requests something as a whole: what it does not name is what its containers request. */
function requestOfWhole(spec: Pod['spec'], resource: string): number {
  const { milliCpu, memory, extended } = podRequests(spec)
  if (resource === 'cpu') return milliCpu
  return (resource === 'memory' ? memory : (extended.get(resource) ?? 0)) * 1000
}

interface Measure {
  readonly ratio: number
  readonly average: number
  readonly utilization?: number
}

type Measuring = (values: ReadonlyMap<string, number>) => Measure

/** Compares what pods took with `target` percent of what they requested. */
function utilizationOf(requests: ReadonlyMap<string, number>, target: number): Measuring {
  return (values) => {
    let [used, requested, count] = [0, 0, 0]
    for (const [name, value] of values) {
      const request = requests.get(name)
      if (request === undefined) continue
      used += value
      requested += request
      count += 1
    }
    if (requested === 0) throw new CannotCalculate('no metrics returned matched known pods')
    const utilization = Math.trunc((used * 100) / requested)
    return { ratio: utilization / target, utilization, average: Math.trunc(used / count) }
  }
}

const averageOf =
  (target: number): Measuring =>
  (values) => {
    const average = Math.trunc([...values.values()].reduce((sum, value) => sum + value, 0) / values.size)
    return { ratio: average / target, average }
  }

interface Assumptions {
  readonly measure: Measuring
  /** What a pod without a sample is taken to use when that speaks against scaling down. */
  readonly assumed: (podName: string) => number
}

function propose(question: Question, { measure, assumed }: Assumptions): Proposal {
  const { currentReplicas } = question
  const { ready, unready, missing, counted } = group(question)
  if (counted.size === 0) throw new CannotCalculate('did not receive metrics for targeted pods (pods might be unready)')
  const { ratio, ...found } = measure(counted)
  const unreadyCount = unready.length > 0 && ratio > 1
  if (!unreadyCount && missing.length === 0)
    return { ...found, replicas: isTolerable(ratio) ? currentReplicas : Math.ceil(ratio * ready) }
  const values = new Map(counted)
  if (ratio < 1) for (const name of missing) values.set(name, assumed(name))
  else if (ratio > 1) for (const name of missing) values.set(name, 0)
  if (unreadyCount) for (const name of unready) values.set(name, 0)
  const again = measure(values).ratio
  const turned = (ratio < 1 && again > 1) || (ratio > 1 && again < 1)
  if (isTolerable(again) || turned) return { ...found, replicas: currentReplicas }
  const replicas = Math.ceil(again * values.size)
  const contrary = (again < 1 && replicas > currentReplicas) || (again > 1 && replicas < currentReplicas)
  return { ...found, replicas: contrary ? currentReplicas : replicas }
}

function requirePods({ pods }: Question): void {
  if (pods.length === 0) throw new CannotCalculate('no pods returned by selector while calculating replica count')
}

/** For a target in percent of the requests. Throws CannotCalculate. */
export function replicasForUtilization(question: Question, target: number): Proposal {
  requirePods(question)
  if (group(question).counted.size === 0)
    throw new CannotCalculate('did not receive metrics for targeted pods (pods might be unready)')
  const requests = requestsOf(question)
  const assumed = (name: string): number => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100)
  return propose(question, { measure: utilizationOf(requests, target), assumed })
}

/** For a target that each pod shall take on average. Throws CannotCalculate. */
export function replicasForAverage(question: Question, target: number): Proposal {
  requirePods(question)
  return propose(question, { measure: averageOf(target), assumed: () => target })
}

/** For one value of all pods together, `ratio` times its target: by the pods that are ready. Throws CannotCalculate. */
export function replicasForRatio(
  { replicas, pods }: { readonly replicas: number; readonly pods: readonly Pod[] },
  ratio: number,
): number {
  if (replicas === 0) return Math.ceil(ratio)
  if (isTolerable(ratio)) return replicas
  if (pods.length === 0)
    throw new CannotCalculate(
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    )
  const ready = pods.filter(
    ({ status }) =>
      status?.phase === 'Running' &&
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  )
  return Math.ceil(ratio * ready.length)
}

/** For one value of all pods together, of which each of the `running` ones shall have `target`. */
export function replicasForTotal(running: number, total: number, target: number): Proposal {
  const replicas = isTolerable(total / (target * running)) ? running : Math.ceil(total / target)
  return { replicas, average: running === 0 ? 0 : Math.ceil(total / running) }
}
