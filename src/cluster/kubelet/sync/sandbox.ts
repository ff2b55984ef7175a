// The sandbox of a pod: what holds its network, and with that its address, while containers come and go.

import { fullNameFault } from '../containers/host-name.ts'
import { dnsOf } from '../containers/pod-dns.ts'
import type { Process } from '../ground/agenda.ts'
import { digestOf } from '../ground/digest.ts'
import { goQuote } from '../ground/go-text.ts'
import { handlerOf } from '../life/pod-runtime.ts'
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

/** Whether the node has the runtime that the pod is to run with, and that can do what the pod asks for. */
function handlerFault(run: PodRun): string | undefined {
  const { pod, around } = run
  const { runtimeClassName: className = '', hostUsers } = pod.spec
  const handler = handlerOf(run)
  if (handler === undefined) return `runtimeclass.node.k8s.io ${goQuote(className)} not found`
  const { node } = around
  const isThere = node.facts().runtimeHandlers.has(handler)
  if (hostUsers === false && !node.runtime.hasFeatures(handler))
    return usersFault(handler, isThere && node.runtime.isModern)
  if (isThere) return undefined
  return `rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for ${goQuote(handler)} is configured`
}

/** Users of its own need a runtime that says that it can map them. */
function usersFault(handler: string, isKnown: boolean): string {
  if (!isKnown) return `the handler ${goQuote(handler)} is not known`
  return `can't set \`spec.hostUsers: false\`, RuntimeClass handler ${goQuote(handler)} does not support user namespaces`
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
