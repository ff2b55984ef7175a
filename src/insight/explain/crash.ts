// Why a container is restarted again and again: it takes too much memory, a probe or a hook gets it restarted, or it ends
// by itself. Pure.

import type { ContainerStatus, Pod } from '#kinds'
import { type EventLike, eventEvidence } from './events.ts'

export interface Crash {
  readonly gap: string
  readonly evidence: readonly string[]
  readonly advice: string
}

export const logsOf = (pod: Pod, container: string): string =>
  `kubectl logs -n ${pod.metadata.namespace ?? 'default'} ${pod.metadata.name ?? ''} -c ${container}`

const waits = 'so the kubelet waits before the next restart'

export function crashOf(pod: Pod, { name, lastState }: ContainerStatus, events: readonly EventLike[]): Crash {
  const logs = `${logsOf(pod, name)} --previous`
  if (lastState?.terminated?.reason === 'OOMKilled')
    return {
      gap: `container ${name} takes more memory than its limit and is killed for it, ${waits}`,
      evidence: eventEvidence(events, ['BackOff']),
      advice: `Give it more memory (resources.limits.memory), or see what it does with it: ${logs}`,
    }
  const probe = probeThatKills(name, events)
  if (probe !== undefined)
    return {
      gap: `container ${name} fails its ${probe} probe and is restarted for it, ${waits}`,
      evidence: [...eventEvidence(events, ['Killing']), ...eventEvidence(events.filter(isOf(probe)), ['Unhealthy'])],
      advice: `See what the ${probe} probe asks for, and whether it gives the container enough time: ${logs}`,
    }
  const hook = events.filter(
    ({ reason, involvedObject }) =>
      reason === 'FailedPostStartHook' && involvedObject?.fieldPath?.endsWith(`{${name}}`) === true,
  )
  if (hook.length > 0)
    return {
      gap: `the postStart hook of container ${name} fails and the container is killed for it, ${waits}`,
      evidence: eventEvidence(hook, ['FailedPostStartHook']),
      advice: `See what lifecycle.postStart of ${name} runs, and whether the container is ready for it: ${logs}`,
    }
  return {
    gap: `container ${name} ends as soon as it has started, ${waits}`,
    evidence: eventEvidence(events, ['BackOff']),
    advice: `Read why it ended: ${logs}`,
  }
}

const isOf =
  (probe: string) =>
  ({ message = '' }: EventLike): boolean =>
    message.toLowerCase().startsWith(`${probe} probe`)

function probeThatKills(container: string, events: readonly EventLike[]): string | undefined {
  for (const probe of ['liveness', 'startup'])
    if (
      events.some(
        ({ reason, message = '' }) =>
          reason === 'Killing' && message.startsWith(`Container ${container} failed ${probe} probe`),
      )
    )
      return probe
  return undefined
}
