// Which containers a Fault kills and when: pure.

import type { ContainerKilled, Fault, Pod } from '#kinds'
import { matchesGlobs, matchesLabels, parseTime } from '#objects'

export interface Victim {
  readonly pod: Pod
  readonly container: string
}

/** When the next kill is due; undefined when there is none any more. */
export function nextKillAt({ spec, status }: Fault, now: number): number | undefined {
  const last = parseTime(status?.lastKillTime)
  if (last === undefined) return now
  const every = spec.containerKilled?.everySeconds
  return every === undefined ? undefined : last + every * 1000
}

export function victimsOf(killed: ContainerKilled, pods: readonly Pod[]): readonly Victim[] {
  return pods.flatMap((pod) => {
    const { metadata, status } = pod
    if (!matchesGlobs(killed.namespaces, metadata.namespace ?? '') || !matchesGlobs(killed.pods, metadata.name ?? ''))
      return []
    if (killed.podSelector !== undefined && !matchesLabels(killed.podSelector, metadata.labels)) return []
    return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
      .filter(({ name, state }) => state?.running !== undefined && matchesGlobs(killed.containers, name))
      .map(({ name }) => ({ pod, container: name }))
  })
}
