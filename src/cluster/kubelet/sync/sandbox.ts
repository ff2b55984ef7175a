// The sandbox of a pod: what holds its network, and with that its address, while containers come and go.

import { fullNameFault } from '../containers/host-name.ts'
import { dnsOf } from '../containers/pod-dns.ts'
import type { Process } from '../ground/agenda.ts'
import { digestOf } from '../ground/digest.ts'
import { goQuote } from '../ground/go-text.ts'
import type { PodRun } from '../pod/pod-run.ts'

/** False when it could not be made. */
export function* createSandbox(run: PodRun): Process<boolean> {
  const { node, timings, workloads } = run.around
  yield { ms: timings.sandboxMs }
  const attempt = nextAttempt(run)
  // Only what a pod adds itself can be too much.
  const { omissions } = run.pod.spec.dnsConfig === undefined ? { omissions: [] } : dnsOf(run.pod)
  for (const omission of omissions) run.event('Warning', 'DNSConfigForming', omission)
  const fault =
    fullNameFault(run.pod, node.name) ?? workloads.pod(run.pod).sandbox?.createError?.message ?? handlerFault(run)
  if (fault !== undefined) return failed(run, fault)
  const ip = run.pod.spec.hostNetwork === true ? node.hostIP : node.ips.take()
  if (ip === undefined) return failed(run, noAddress(sandboxId(run, attempt), node.ips.span))
  run.sandbox = { ready: true, ip, attempt, createdAt: run.now }
  run.runtimeChanged()
  return true
}

/** What pods run with: one that has ended has its address no more, however the API still shows it. */
export const addressesOf = (runs: Iterable<PodRun>): readonly string[] =>
  [...runs].flatMap(({ sandbox, isFinished }) => (sandbox === undefined || isFinished ? [] : [sandbox.ip]))

/** Which runtime the pod is to run with, by its class, and whether the node has that. */
function handlerFault({ pod, around: { runtimeHandler, node } }: PodRun): string | undefined {
  const className = pod.spec.runtimeClassName
  if (!className) return undefined
  const handler = runtimeHandler(className)
  if (handler === undefined) return `runtimeclass.node.k8s.io ${goQuote(className)} not found`
  if (node.facts().runtimeHandlers.has(handler)) return undefined
  return `rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for ${goQuote(handler)} is configured`
}

const nextAttempt = ({ sandbox }: PodRun): number => (sandbox === undefined ? 0 : sandbox.attempt + 1)

/** Of a pod that is to end meanwhile it is no fault. */
function failed(run: PodRun, message: string): false {
  if (!run.ending.isOpen) run.event('Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${message}`)
  return false
}

export const sandboxId = ({ uid }: PodRun, attempt: number): string => digestOf(`sandbox ${uid} ${attempt}`).slice(7)

const noAddress = (id: string, span: string): string =>
  `rpc error: code = Unknown desc = failed to setup network for sandbox "${id}": plugin type="ptp" failed (add): ` +
  `failed to allocate for range 0: no IP addresses available in range set: ${span}`
