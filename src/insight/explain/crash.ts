// Why a container is restarted again and again: it takes too much memory, a probe gets it restarted, or it ends by itself.
// Pure.

import type { ContainerStatus, Pod } from '#kinds'
import { type EventLike, eventEvidence } from './finding.ts'

export interface Crash {
  readonly gap: string
  readonly evidence: readonly string[]
  readonly advice: string
}

const waits = 'so the kubelet waits before the next restart'

export function crashOf(pod: Pod, { name, lastState }: ContainerStatus, events: readonly EventLike[]): Crash {
  const logs = `kubectl logs -n ${pod.metadata.namespace ?? 'default'} ${pod.metadata.name ?? ''} -c ${name} --previous`
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
