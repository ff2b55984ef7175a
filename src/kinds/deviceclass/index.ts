// DeviceClass (resource.k8s.io/v1). Stored as written: devices are not allocated here.

import { DeviceClass } from '../generated/types.ts'
import type { KindRules } from '../kind.ts'
import { ageColumn, nameColumn } from '../table/columns.ts'

export const deviceClassRules: KindRules<DeviceClass> = {
  kind: DeviceClass,
  columns: [nameColumn, ageColumn],
}
