// The words that the kubelet's probers have for what they find (pkg/probe). Where a workload gives the whole text, that is
// used; else the text follows from the cause.

import type { Probe } from '#kinds'
import type { ContainerRecord } from '../containers/containers.ts'
import { portText } from '../containers/named-ports.ts'
import { goDuration, goQuote } from '../ground/go-text.ts'
import type { PodLife } from '../life/pod-life.ts'
import { execFault } from '../workload/missing-names.ts'
import type { ProbeKind, ProbeSegment } from '../workload/workload.ts'

export interface Question {
  readonly run: PodLife
  readonly record: ContainerRecord
  readonly kind: ProbeKind
  readonly probe: Probe
}

export function probeWords(segment: ProbeSegment, question: Question): string {
  const { run, probe } = question
  const { output } = segment
  if (output !== undefined && output !== '') return filledIn(output, run)
  if (segment.result === 'success') return redirectWords(segment)
  const timeout = goDuration((probe.timeoutSeconds ?? 1) * 1000)
  if (probe.exec !== undefined) return execWords(segment, probe.exec.command ?? [], { run, timeout })
  if (probe.httpGet !== undefined) return httpWords(segment, question)
  if (probe.tcpSocket !== undefined) return tcpWords(segment, question)
  if (probe.grpc !== undefined) return grpcWords(segment, question, timeout)
  return ''
}

const redirectWords = ({ cause }: ProbeSegment): string =>
  cause?.httpStatus === undefined ? '' : `Probe terminated redirects, Response body: ${cause.body ?? ''}`

function execWords(
  { result }: ProbeSegment,
  command: readonly string[],
  { run, timeout }: { readonly run: PodLife; readonly timeout: string },
): string {
  if (result === 'timeout') return `command timed out: ${goQuote(command.join(' '))} timed out after ${timeout}`
  return result === 'error' ? filledIn(execFault(command[0] ?? ''), run) : ''
}

function httpWords({ result, cause }: ProbeSegment, question: Question): string {
  const { httpGet } = question.probe
  const host = httpGet?.host ?? question.run.sandbox?.ip ?? ''
  const port = portOf(httpGet?.port, question)
  const path = httpGet?.path ?? '/'
  const url = `${(httpGet?.scheme ?? 'HTTP').toLowerCase()}://${host}:${port}${path.startsWith('/') ? path : `/${path}`}`
  if (cause?.kind === 'connection-refused') return `Get ${goQuote(url)}: ${refused(`${host}:${port}`)}`
  if (result === 'timeout' || cause?.kind === 'http-no-answer')
    return `Get ${goQuote(url)}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`
  return `HTTP probe failed with statuscode: ${cause?.httpStatus ?? 500}`
}

function tcpWords({ result }: ProbeSegment, question: Question): string {
  const { tcpSocket } = question.probe
  const address = `${tcpSocket?.host ?? question.run.sandbox?.ip ?? ''}:${portOf(tcpSocket?.port, question)}`
  return result === 'timeout' ? `dial tcp ${address}: i/o timeout` : refused(address)
}

function grpcWords({ result, cause }: ProbeSegment, { run, probe }: Question, timeout: string): string {
  const address = `${run.sandbox?.ip ?? ''}:${probe.grpc?.port ?? 0}`
  if (cause?.kind === 'connection-refused')
    return `timeout: failed to connect service ${goQuote(address)} within ${timeout}: context deadline exceeded`
  return result === 'timeout'
    ? `timeout: health rpc did not complete within ${timeout}`
    : 'service unhealthy (responded with "NOT_SERVING")'
}

const refused = (address: string): string => `dial tcp ${address}: connect: connection refused`

const portOf = (port: string | number | undefined, { run, record }: Question): string =>
  portText(port, { spec: run.pod.spec, name: record.name })

/** Addresses and ids that are known only now. */
const filledIn = (text: string, { sandbox, around }: PodLife): string =>
  text.replaceAll('<podIP>', sandbox?.ip ?? '').replace(/<id>/g, () => around.random.hex(64))
