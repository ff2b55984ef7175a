// Pods that a node keeps before all others.

import type { Pod } from '#kinds'
import { isStatic } from './static-pods.ts'

const systemCritical = 2_000_000_000

/** What the node cannot do without. */
export const isCritical = (pod: Pod): boolean => isStatic(pod) || (pod.spec.priority ?? 0) >= systemCritical
