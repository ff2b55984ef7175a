// ComponentStatus (v1): how the parts of the control plane are, as they are asked for; nobody stores one.

import { ComponentStatus } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { nameColumn, text } from '../table/columns.ts'

const healthOf = ({ conditions = [] }: ComponentStatus) => conditions.findLast(({ type }) => type === 'Healthy')

function statusCell(component: ComponentStatus): string {
  const health = healthOf(component)
  if (health === undefined) return 'Unknown'
  return health.status === 'True' ? 'Healthy' : 'Unhealthy'
}

export const componentStatusRules: KindRules<ComponentStatus> = {
  kind: ComponentStatus,
  generation: 'none',
  columns: [
    nameColumn,
    text('Status', 'Status of the component conditions', statusCell),
    text('Message', 'Message of the component conditions', (component) => healthOf(component)?.message ?? ''),
    text('Error', 'Error of the component conditions', (component) => healthOf(component)?.error ?? ''),
  ],
}
