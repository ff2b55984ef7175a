// Defaults of a PersistentVolumeClaim.

import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../generated/types.ts'
import { claimSpecDefaults } from '../podspec/claim-defaults.ts'
import { withDefaults } from '../sharing.ts'

export const claimDefaults = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  withDefaults(claim, {
    spec: claimSpecDefaults(claim.spec ?? {}),
    status: withDefaults(claim.status ?? {}, { phase: claim.status?.phase ?? 'Pending' }),
  })

/** dataSource and dataSourceRef say the same, unless the reference crosses namespaces. */
export function withAgreeingSources(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = spec
  if (dataSource !== undefined && dataSourceRef === undefined) {
    const { apiGroup, kind, name } = dataSource
    return { ...spec, dataSourceRef: { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name } }
  }
  if (dataSourceRef !== undefined && dataSource === undefined && !dataSourceRef.namespace) {
    const { apiGroup, kind, name } = dataSourceRef
    return { ...spec, dataSource: { ...(apiGroup === undefined ? {} : { apiGroup }), kind, name } }
  }
  return spec
}
