// Health of a Pod. Deviates from Argo CD on purpose: the init containers of a pod that shall always run are looked at
// too, so an init container in CrashLoopBackOff is Degraded and not "Progressing" for ever.

import type { ContainerStatus, Pod } from '#kinds'
import { degraded, type HealthRule, healthy, progressing, unknown, type Verdict } from './verdict.ts'

const ignoreRestartPolicy = 'argocd.argoproj.io/ignore-restart-policy'
const hookAnnotations = ['argocd.argoproj.io/hook', 'helm.sh/hook']

export const podHealth: HealthRule = (object) => {
  const pod = object as unknown as Pod
  const { phase, message } = pod.status ?? {}
  const longLived = isLongLived(pod)
  const waiting = longLived ? waitingVerdict(pod) : undefined
  if (waiting !== undefined) return waiting
  switch (phase) {
    case 'Pending':
      return progressing(['status.phase', phase, 'not all containers have started'], message)
    case 'Succeeded':
      return healthy(['status.phase', phase, 'all containers ended with success'], message)
    case 'Failed':
      return failedVerdict(pod)
    case 'Running':
      return longLived
        ? runningVerdict(pod)
        : progressing(['spec.restartPolicy', pod.spec?.restartPolicy, 'a pod that shall end is still running'])
    default:
      return unknown(['status.phase', phase, 'no phase that says how the pod is'], message)
  }
}

/** A pod that is meant to run, not to end. Hooks always end, whatever their annotation says. */
function isLongLived(pod: Pod): boolean {
  const annotations = pod.metadata.annotations ?? {}
  const isHook = hookAnnotations.some((name) => annotations[name] !== undefined)
  const policy = pod.spec?.restartPolicy
  return policy === undefined || policy === 'Always' || (annotations[ignoreRestartPolicy] === 'true' && !isHook)
}

const isErrorReason = (reason: string): boolean =>
  reason.startsWith('Err') || reason.endsWith('Error') || reason.endsWith('BackOff')

function waitingVerdict(pod: Pod): Verdict | undefined {
  const found: { readonly name: string; readonly reason: string; readonly message: string }[] = []
  for (const { name, state } of [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ]) {
    const { reason = '', message = '' } = state?.waiting ?? {}
    if (isErrorReason(reason)) found.push({ name, reason, message })
  }
  const [first] = found
  if (first === undefined) return undefined
  const field = `status.containerStatuses[name=${first.name}].state.waiting.reason`
  const messages = found.map((each) => each.message).filter((text) => text !== '')
  return degraded([field, first.reason, 'a container cannot start'], messages.join(', '))
}

function failedVerdict(pod: Pod): Verdict {
  const proof = ['status.phase', 'Failed', 'a container ended with a failure'] as const
  if (pod.status?.message) return degraded(proof, pod.status.message)
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]
  for (const status of statuses) {
    const message = failMessage(status)
    if (message !== undefined) return degraded(proof, message)
  }
  return degraded(proof)
}

function failMessage(status: ContainerStatus): string | undefined {
  const ended = status.state?.terminated
  if (ended === undefined) return undefined
  if (ended.message) return ended.message
  if (ended.reason === 'OOMKilled') return ended.reason
  return ended.exitCode === 0
    ? undefined
    : `container ${JSON.stringify(status.name)} failed with exit code ${ended.exitCode}`
}

function runningVerdict(pod: Pod): Verdict {
  const ready = pod.status?.conditions?.find((condition) => condition.type === 'Ready')
  const proof = ['status.conditions[type=Ready]', ready?.status] as const
  if (ready?.status === 'True') return healthy([...proof, 'the pod is ready'], pod.status?.message)
  const ended = pod.status?.containerStatuses?.find((status) => status.lastState?.terminated !== undefined)
  if (ended !== undefined) {
    return degraded(
      [
        `status.containerStatuses[name=${ended.name}].lastState`,
        'terminated',
        'not ready, and a container has ended before',
      ],
      pod.status?.message,
    )
  }
  return progressing([...proof, 'running, but not ready yet'])
}
