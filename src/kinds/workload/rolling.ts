// The update strategy of workloads that roll: what a Deployment and a DaemonSet fill in alike, but for how much may be
// missing or come on top.

import type { IntOrString } from '../generated/types.ts'
import { withDefaults } from '../sharing.ts'

interface Limits {
  readonly maxUnavailable?: IntOrString
  readonly maxSurge?: IntOrString
}

interface Strategy {
  readonly type?: string
  readonly rollingUpdate?: Limits
}

export function rollingDefaults<T extends Strategy>(strategy: T, limits: Required<Limits>): T {
  const type = strategy.type || 'RollingUpdate'
  if (type !== 'RollingUpdate') return strategy
  const rolling: Limits = strategy.rollingUpdate ?? {}
  const rollingUpdate = withDefaults(rolling, {
    maxUnavailable: rolling.maxUnavailable ?? limits.maxUnavailable,
    maxSurge: rolling.maxSurge ?? limits.maxSurge,
  })
  return withDefaults<Strategy>(strategy, { type, rollingUpdate }) as T
}
