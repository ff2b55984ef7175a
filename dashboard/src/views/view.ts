// What a view is, and what it is given: the rest of the address.

import type { ComponentType } from 'react'

export interface ViewProps {
  readonly path: readonly string[]
  readonly query: URLSearchParams
}

export interface View {
  readonly path: string
  readonly label: string
  readonly show: ComponentType<ViewProps>
}
