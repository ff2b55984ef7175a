// What a probe finds at a moment, from the container's workload; and the words that the kubelet's probers have for it.

import type { Probe } from '#kinds'
import type { ContainerRecord } from './containers.ts'
import { containersOf } from './containers.ts'
import { goDuration, goQuote } from './go-text.ts'
import type { PodRun } from './pod-run.ts'
import type { ProbeKind, ProbeSegment } from './workload.ts'

export interface Finding {
  readonly result: 'success' | 'failure' | 'error'
  readonly text: string
  readonly takesMs: number
}

export interface Question {
  readonly run: PodRun
  readonly record: ContainerRecord
  readonly kind: ProbeKind
  readonly probe: Probe
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

export function lookAt(question: Question & { readonly running: boolean }): Finding {
  const { run, probe, running } = question
  const { execMs } = run.around.timings
  const segment: ProbeSegment = running
    ? segmentAt(question, run.now)
    : { fromSeconds: 0, result: 'failure', cause: { kind: 'connection-refused' } }
  const timeoutMs = (probe.timeoutSeconds ?? 1) * 1000
  const text = wordsFor(segment, question)
  const ownMs = probe.exec === undefined ? 0 : execMs
  switch (segment.result) {
    case 'success':
      return { result: 'success', text, takesMs: ownMs }
    case 'error':
      return { result: 'error', text, takesMs: ownMs }
    case 'timeout':
      return { result: 'failure', text, takesMs: timeoutMs }
    case 'failure':
      // A gRPC probe tries to connect until its time is over.
      return { result: 'failure', text, takesMs: probe.grpc === undefined ? ownMs : timeoutMs }
  }
}

function portOf(port: string | number | undefined, question: Question): string {
  if (typeof port === 'number' || port === undefined || /^\d+$/.test(port)) return String(port)
  const spec = containersOf(question.run.pod.spec).find(({ spec: { name } }) => name === question.record.name)?.spec
  return String(spec?.ports?.find(({ name }) => name === port)?.containerPort ?? port)
}

function wordsFor(segment: ProbeSegment, question: Question): string {
  const { run, probe } = question
  const { cause, output } = segment
  const ip = run.sandbox?.ip ?? ''
  const timeout = goDuration((probe.timeoutSeconds ?? 1) * 1000)
  if (probe.exec !== undefined) {
    if (segment.result === 'timeout')
      return `command timed out: ${goQuote((probe.exec.command ?? []).join(' '))} timed out after ${timeout}`
    return withIds(output ?? '', run)
  }
  const { httpGet, tcpSocket, grpc } = probe
  if (grpc !== undefined && cause?.kind === 'connection-refused')
    return `timeout: failed to connect service ${goQuote(`${ip}:${grpc.port}`)} within ${timeout}: context deadline exceeded`
  if (httpGet !== undefined) {
    const host = httpGet.host ?? ip
    const url = `${(httpGet.scheme ?? 'HTTP').toLowerCase()}://${host}:${portOf(httpGet.port, question)}${httpGet.path ?? '/'}`
    if (cause?.kind === 'http-status') return `HTTP probe failed with statuscode: ${cause.httpStatus ?? 0}`
    if (cause?.kind === 'connection-refused')
      return `Get ${goQuote(url)}: dial tcp ${host}:${portOf(httpGet.port, question)}: connect: connection refused`
    if (cause?.kind === 'http-no-answer')
      return `Get ${goQuote(url)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
  }
  if (tcpSocket !== undefined && cause?.kind === 'connection-refused')
    return `dial tcp ${tcpSocket.host ?? ip}:${portOf(tcpSocket.port, question)}: connect: connection refused`
  return withIds(output ?? '', run)
}

function withIds(text: string, run: PodRun): string {
  return text.replaceAll('<podIP>', run.sandbox?.ip ?? '').replace(/<id>/g, () => {
    let id = ''
    for (let i = 0; i < 8; i += 1)
      id += run.around.random
        .int(2 ** 32)
        .toString(16)
        .padStart(8, '0')
    return id
  })
}
