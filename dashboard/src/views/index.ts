// The views: one line each. `path` is the first part of the address.

import { Applications } from './applications.tsx'
import { ClustersView } from './clusters.tsx'
import { DriftView } from './drift.tsx'
import { LoopsView } from './loops.tsx'
import type { View } from './view.ts'
import { WaitingView } from './waiting.tsx'

export const views: readonly View[] = [
  { path: 'applications', label: 'Applications', show: Applications },
  { path: 'waiting', label: 'Waiting', show: WaitingView },
  { path: 'drift', label: 'Drift', show: DriftView },
  { path: 'loops', label: 'Loops', show: LoopsView },
  { path: 'clusters', label: 'Clusters', show: ClustersView },
]
