// ResourceClaimTemplate (resource.k8s.io/v1). Stored as written: devices are not allocated here.

import { ResourceClaimTemplate } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { ageColumn, nameColumn } from '../table/columns.ts'

export const resourceClaimTemplateRules: KindRules<ResourceClaimTemplate> = {
  kind: ResourceClaimTemplate,
  generation: 'none',
  columns: [nameColumn, ageColumn],
}
