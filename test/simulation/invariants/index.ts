// Every invariant: one line each.

import { budgets } from './budgets.ts'
import { daemonSets } from './daemonsets.ts'
import { endpoints } from './endpoints.ts'
import { holdings } from './holdings.ts'
import type { Invariant } from './invariant.ts'
import { jobs } from './jobs.ts'
import { nodes } from './nodes.ts'
import { owners } from './owners.ts'
import { pods } from './pods.ts'
import { quotas } from './quotas.ts'
import { rollouts } from './rollouts.ts'
import { statefulSets } from './statefulsets.ts'
import { versions } from './versions.ts'

export { Inspection, type Invariant, type Violation } from './invariant.ts'

export const invariants: readonly Invariant[] = [
  versions,
  owners,
  pods,
  nodes,
  rollouts,
  statefulSets,
  daemonSets,
  jobs,
  budgets,
  quotas,
  endpoints,
  holdings,
]
