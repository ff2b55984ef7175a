// What a connection to a pod meets at this moment: an answer, a refusal or silence, from what its containers are doing and
// from what their workload says about requests (or, where it says nothing of them, about readiness or liveness probes).

import type { Pod } from '#kinds'
import { type ContainerRecord, type ContainerSpec, containersOf, latest } from '../containers/containers.ts'
import type { PodRun } from '../pod/pod-run.ts'
import type { ProbeSegment } from '../workload/workload.ts'

export interface Answer {
  readonly result: 'ok' | 'refused' | 'silent' | 'error'
  /** With `error`. */
  readonly httpStatus?: number
  readonly takesMs: number
  readonly why: string
  /** When it may be another without anything happening; absent: only when something happens. */
  readonly until?: number
}

export interface Knock {
  readonly port: number
  readonly protocol: string
  readonly now: number
}

/** The address belongs to nobody any more. */
export const nobody: Answer = { result: 'silent', takesMs: 0, why: 'no pod has this address' }

export function answerOf(run: PodRun, knock: Knock): Answer {
  if (run.sandbox?.ready !== true) return { ...nobody, why: 'the pod has no network: its sandbox is gone' }
  const { pod } = run
  const container = listenerOn(pod, knock)
  const refused = (why: string): Answer => ({ result: 'refused', takesMs: 0, why })
  if (container === undefined) return refused(`no container of the pod listens on ${knock.port}/${knock.protocol}`)
  const { name } = container.spec
  const record = latest(run.records, name)
  if (record === undefined || record.state === 'created') return refused(`container ${name} has not started`)
  if (record.state === 'exited') return refused(`container ${name} has ended (exit code ${record.exitCode})`)
  return answerIn(run, record, knock)
}

/** A pod that declares ports has no others; one that declares none has its first container listen on all. */
function listenerOn({ spec }: Pod, { port, protocol }: Knock): ContainerSpec | undefined {
  const serving = containersOf(spec).filter(({ kind, sidecar }) => kind === 'main' || sidecar)
  const declares = ({ spec: { ports = [] } }: ContainerSpec): boolean =>
    ports.some((one) => one.containerPort === port && (one.protocol ?? 'TCP') === protocol)
  return (
    serving.find(declares) ??
    (serving.every(({ spec: { ports = [] } }) => ports.length === 0)
      ? serving.find(({ kind }) => kind === 'main')
      : undefined)
  )
}

const good: ProbeSegment = { fromSeconds: 0, result: 'success' }

function answerIn(run: PodRun, record: ContainerRecord, { now }: Knock): Answer {
  const { requests, probes } = run.around.workloads.container(run.pod, record.name)
  const segments = requests ?? probes?.readiness ?? probes?.liveness ?? []
  const startOf = ({ since, fromSeconds }: ProbeSegment): number =>
    (since === 'preStop' ? (run.preStopAt.get(record.id) ?? Number.POSITIVE_INFINITY) : record.startedAt) +
    fromSeconds * 1000
  const begun = segments.filter((segment) => startOf(segment) <= now)
  const stopping = begun.filter(({ since }) => since === 'preStop')
  const segment = (stopping.length > 0 ? stopping : begun).at(-1) ?? good
  const until = Math.min(...segments.map(startOf).filter((at) => at > now))
  return { ...wordsFor(segment, record.name), ...(until === Number.POSITIVE_INFINITY ? {} : { until }) }
}

/** Commands that probes run inside of the container say nothing about the network. */
function wordsFor({ result, cause }: ProbeSegment, name: string): Answer {
  const takesMs = (cause?.takesSeconds ?? 0) * 1000
  const fine: Answer = { result: 'ok', takesMs, why: `container ${name} answers` }
  if (cause?.httpStatus !== undefined)
    return cause.httpStatus < 400
      ? fine
      : { result: 'error', httpStatus: cause.httpStatus, takesMs, why: `container ${name} answers ${cause.httpStatus}` }
  if (result === 'success' || cause?.kind.startsWith('exec') === true) return fine
  if (result === 'timeout' || cause?.kind === 'http-no-answer')
    return { result: 'silent', takesMs, why: `container ${name} does not answer` }
  return { result: 'refused', takesMs, why: `container ${name} does not listen yet, or no more` }
}
