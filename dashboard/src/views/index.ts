// The views: one line each. `path` is the first part of the address.

import type { ComponentType } from 'react'
import { Applications } from './applications.tsx'
import { DriftView } from './drift.tsx'
import { LoopsView } from './loops.tsx'
import { WaitingView } from './waiting.tsx'

export interface ViewProps {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

export interface View {
  readonly path: string
  readonly label: string
  readonly show: ComponentType<ViewProps>
}

export const views: readonly View[] = [
  { path: 'applications', label: 'Applications', show: Applications },
  { path: 'waiting', label: 'Waiting', show: WaitingView },
  { path: 'drift', label: 'Drift', show: DriftView },
  { path: 'loops', label: 'Loops', show: LoopsView },
]
