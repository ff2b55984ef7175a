// The status of a pod that its node refused: nothing of it ever ran, and nothing else is said of it.

import type { Pod, PodStatus } from '#kinds'
import { formatTime } from '#objects'

interface Refusal {
  readonly reason: string
  readonly message: string
  readonly now: number
}

export function rejectedStatus({ metadata, status }: Pod, { reason, message, now }: Refusal): PodStatus {
  const { generation } = metadata
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    startTime: formatTime(now),
    ...(status?.qosClass === undefined ? {} : { qosClass: status.qosClass }),
  }
}
