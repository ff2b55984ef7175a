// What a changed result of a probe makes of the status that was said last: the container's readiness or its start, and the
// conditions that follow from that (SetContainerReadiness, SetContainerStartup). Whatever else has happened meanwhile is
// told by the next sync. Pure.

import type { ContainerStatus, Pod, PodStatus } from '#kinds'
import { containersReady, kubeletConditions, podReady, type Stamp, stamped } from './conditions.ts'

export interface ProbeNews {
  readonly kind: 'readiness' | 'startup'
  readonly containerID: string
  readonly success: boolean
}

const nothing: readonly ContainerStatus[] = []

/** The status itself when it says so already, or knows nothing of that container. */
export function withProbeNews(
  { spec, metadata }: Pod,
  status: PodStatus,
  { kind, containerID, success, now }: ProbeNews & Pick<Stamp, 'now'>,
): PodStatus {
  const { initContainerStatuses: init, containerStatuses: main = nothing, phase = 'Pending', conditions = [] } = status
  const field = kind === 'readiness' ? 'ready' : 'started'
  const changes = (one: ContainerStatus): boolean => one.containerID === containerID && one[field] !== success
  if (!main.some(changes) && init?.some(changes) !== true) return status
  const changed = (list: readonly ContainerStatus[]): readonly ContainerStatus[] =>
    list.map((one) => (changes(one) ? { ...one, [field]: success } : one))
  const news: PodStatus = {
    ...status,
    containerStatuses: changed(main),
    ...(init === undefined ? {} : { initContainerStatuses: changed(init) }),
  }
  if (kind === 'startup') return news
  const input = {
    spec,
    phase,
    statuses: [...(news.initContainerStatuses ?? nothing), ...(news.containerStatuses ?? nothing)],
    others: conditions.filter(({ type }) => !kubeletConditions.has(type)),
    // Of no matter for these conditions.
    sandboxReady: true,
  }
  const stamp: Stamp = { before: conditions, generation: metadata.generation, now }
  const containers = containersReady(input)
  const verdicts = new Map([
    ['Ready', podReady(input, containers)],
    ['ContainersReady', containers],
  ])
  return {
    ...news,
    conditions: conditions.map((condition) => {
      const verdict = verdicts.get(condition.type)
      return verdict === undefined ? condition : stamped(condition.type, verdict, stamp)
    }),
  }
}
