// Why a container does not start, or does not stay: its image, its configuration, its command, its end. Pure.

import type { ContainerStatus, Pod } from '#kinds'
import { crashOf, logsOf } from './crash.ts'
import { type EventLike, eventEvidence } from './events.ts'
import { conditionOf, describeObject, type Finding, sinceTime } from './finding.ts'

interface Observed {
  readonly pod: Pod
  readonly events: readonly EventLike[]
}

/** Said by the kubelet of a pod whose containers do not come to be. */
export const podReasons = [
  'Failed',
  'FailedMount',
  'FailedAttachVolume',
  'FailedMapVolume',
  'FailedCreatePodSandBox',
  'NetworkNotReady',
  'BackOff',
  'Unhealthy',
  'FailedPostStartHook',
  'InspectFailed',
]

/** Since when the pod is not ready, else since it is there. */
export const sinceUnready = ({ status, metadata }: Pod): { readonly since?: string } =>
  sinceTime(conditionOf(status?.conditions, 'Ready')?.lastTransitionTime ?? metadata.creationTimestamp)

const imageReasons = ['ErrImagePull', 'ImagePullBackOff', 'ImageInspectError', 'RegistryUnavailable']

function pullAdvice(text: string): string | undefined {
  if (/toomanyrequests|429/i.test(text)) return 'The registry limits pulls: wait, or pull with credentials.'
  if (/unauthorized|401|denied|403/i.test(text))
    return 'The registry wants credentials: add an imagePullSecret in this namespace.'
  if (/timeout|timed out|i\/o|no such host|refused/i.test(text))
    return 'The node cannot reach the registry: look at network, DNS and proxies.'
  if (/not found|404|manifest unknown/i.test(text)) return 'The image or its tag does not exist: check the name.'
  return undefined
}

function startAdvice(pod: Pod, reason: string, text: string): string | undefined {
  if (imageReasons.includes(reason)) return pullAdvice(text)
  if (reason === 'InvalidImageName') return 'No image can have this name: correct it.'
  if (reason === 'ErrImageNeverPull')
    return 'imagePullPolicy is Never and the node does not have the image: load it there, or let it be pulled.'
  if (reason === 'CreateContainerConfigError') return configAdvice(pod, text)
  return undefined
}

/** What the pod's namespace lacks: `configmap "a" not found`, `couldn't find key k in Secret ns/a`. */
export function configAdvice(pod: Pod, text: string): string | undefined {
  const namespace = pod.metadata.namespace ?? 'default'
  const missing = /\b(configmap|secret) "([^"]{1,253})" not found/i.exec(text)
  if (missing !== null)
    return `Create the ${missing[1] === 'secret' ? 'Secret' : 'ConfigMap'} ${missing[2]} in namespace ${namespace}, or mark the reference as optional: the kubelet goes on by itself when it is there.`
  const key = /couldn't find key (\S{1,253}) in (ConfigMap|Secret) (\S{1,500})/.exec(text)
  if (key !== null) return `Add the key ${key[1]} to the ${key[2]} ${key[3]}, or correct the reference.`
  if (/non-root|runAsNonRoot/.test(text))
    return 'Set securityContext.runAsUser to a user other than 0, or use an image that does not run as root.'
  return undefined
}

/** A container that waits for something the kubelet cannot do by itself. */
export function waitingContainer({ pod, events }: Observed, status: ContainerStatus): Finding | undefined {
  const waiting = status.state?.waiting
  if (waiting?.reason === undefined || ['ContainerCreating', 'PodInitializing'].includes(waiting.reason))
    return undefined
  const last = status.lastState?.terminated
  const text = waiting.message ?? ''
  const crash = waiting.reason === 'CrashLoopBackOff' ? crashOf(pod, status, events) : undefined
  const advice = crash?.advice ?? startAdvice(pod, waiting.reason, text)
  return {
    state: 'stuck',
    loop: `kubelet on ${pod.spec.nodeName ?? ''}`,
    object: describeObject(pod),
    gap: crash?.gap ?? `container ${status.name} cannot start: ${waiting.reason}${text === '' ? '' : `: ${text}`}`,
    ...sinceUnready(pod),
    evidence: [
      `container ${status.name} is waiting (${waiting.reason}), ${status.restartCount} restarts`,
      ...(last === undefined ? [] : [`it last ended with exit code ${last.exitCode} (${last.reason ?? ''})`]),
      ...(crash?.evidence ?? eventEvidence(events, podReasons)),
    ],
    ...(advice === undefined ? {} : { advice }),
  }
}

/** An init container that runs keeps all others from starting. */
export function runningInit({ pod }: Observed): Finding | undefined {
  const { initContainers = [], nodeName = '' } = pod.spec
  const statuses = pod.status?.initContainerStatuses ?? []
  const held = initContainers
    .map((spec) => ({ spec, status: statuses.find(({ name }) => name === spec.name) }))
    .find(({ spec, status }) => (spec.restartPolicy === 'Always' ? status?.started !== true : !isDone(status)))
  const running = held?.status?.state?.running
  if (held === undefined || running === undefined) return undefined
  const { name, restartPolicy } = held.spec
  return {
    state: 'progressing',
    loop: `kubelet on ${nodeName}`,
    object: describeObject(pod),
    gap:
      restartPolicy === 'Always'
        ? `the sidecar ${name} has not started yet (its startup probe), and the containers after it wait for that`
        : `the init container ${name} runs, and the other containers wait for its end`,
    ...sinceTime(running.startedAt),
    evidence: [`container ${name} is running, ${held.status?.restartCount ?? 0} restarts`],
    advice: `If this lasts, see what it does: ${logsOf(pod, name)}`,
  }
}

const isDone = (status: ContainerStatus | undefined): boolean => status?.state?.terminated?.exitCode === 0
