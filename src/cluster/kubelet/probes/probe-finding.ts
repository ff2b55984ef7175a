// What a probe finds at a moment, from the container's workload, and how long it takes to find it.

import { portFault } from '../containers/named-ports.ts'
import type { ProbeSegment } from '../workload/workload.ts'
import { probeWords, type Question } from './probe-words.ts'

export interface Finding {
  readonly result: 'success' | 'failure' | 'error'
  readonly text: string
  readonly takesMs: number
  /** A success that an Event tells of. */
  readonly warns: boolean
}

const success: ProbeSegment = { fromSeconds: 0, result: 'success' }

const startOf = ({ run, record }: Question, { since, fromSeconds }: ProbeSegment): number => {
  const base = since === 'preStop' ? (run.preStopAt.get(record.id) ?? Number.POSITIVE_INFINITY) : record.startedAt
  return base + fromSeconds * 1000
}

function segmentsFor({ run, record, kind }: Question): readonly ProbeSegment[] {
  return run.around.workloads.container(run.pod, record.name).probes?.[kind] ?? []
}

function segmentAt(question: Question, at: number): ProbeSegment {
  const begun = segmentsFor(question).filter((segment) => startOf(question, segment) <= at)
  const stopping = begun.filter(({ since }) => since === 'preStop')
  return (stopping.length > 0 ? stopping : begun).at(-1) ?? success
}

/** The next moment at which the probe may find something else. */
export function nextChange(question: Question): number | undefined {
  const { now } = question.run
  const later = segmentsFor(question)
    .map((segment) => startOf(question, segment))
    .filter((at) => at > now && at !== Number.POSITIVE_INFINITY)
  return later.length === 0 ? undefined : Math.min(...later)
}

/** Nothing listens in a container that does not run. */
const nobody: ProbeSegment = { fromSeconds: 0, result: 'failure', cause: { kind: 'connection-refused' } }

export function lookAt(question: Question & { readonly running: boolean }): Finding {
  const { run, record, probe, running } = question
  const fault = portFault(probe.httpGet?.port ?? probe.tcpSocket?.port, { spec: run.pod.spec, name: record.name })
  if (fault !== undefined) return { result: 'error', text: fault, takesMs: 0, warns: false }
  const segment = running ? segmentAt(question, run.now) : nobody
  const result = segment.result === 'timeout' ? 'failure' : segment.result
  return {
    result,
    text: probeWords(segment, question),
    takesMs: durationOf(segment, question),
    warns: result === 'success' && probe.httpGet !== undefined && isRedirect(segment.cause?.httpStatus ?? 0),
  }
}

/** Counts as success, but is told of. */
const isRedirect = (httpStatus: number): boolean => httpStatus >= 300 && httpStatus < 400

function durationOf({ result, cause }: ProbeSegment, { run, probe }: Question): number {
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  // A gRPC probe tries to connect until its time is over.
  const tries = probe.grpc !== undefined && result === 'failure' && (cause?.kind ?? refused) === refused
  if (result === 'timeout' || tries) return timeoutMs
  const ownMs = probe.exec === undefined ? 0 : run.around.timings.execMs
  return cause?.takesSeconds === undefined ? ownMs : Math.min(cause.takesSeconds * 1000, timeoutMs)
}

const refused = 'connection-refused'
