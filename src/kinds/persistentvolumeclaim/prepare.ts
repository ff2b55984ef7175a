// What the API server sets in claims: a fresh status, and data sources that it can do something with.

import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../generated/types.ts'
import { withDefaults, without } from '../sharing.ts'

export const prepareForCreate = (claim: PersistentVolumeClaim): PersistentVolumeClaim => ({
  ...claim,
  spec: withAgreeingSources(withKnownSources(claim.spec ?? {}, {})),
  status: { phase: 'Pending' },
})

export const prepareForUpdate = (claim: PersistentVolumeClaim, old: PersistentVolumeClaim): PersistentVolumeClaim =>
  withDefaults(claim, {
    spec: withAgreeingSources(withKnownSources(claim.spec ?? {}, old.spec ?? {})),
    status: old.status,
  })

/**
 * Sources of other namespaces are an alpha feature and dropped; so is a dataSource that is neither a claim nor a snapshot,
 * unless dataSourceRef says it, too. What an old claim has is kept.
 */
function withKnownSources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const isForeign = Boolean(spec.dataSourceRef?.namespace) && old.dataSourceRef === undefined
  const next = isForeign ? without(spec, 'dataSourceRef') : spec
  const { dataSource, dataSourceRef } = next
  if (dataSource === undefined || dataSourceRef !== undefined || old.dataSource !== undefined) return next
  const { apiGroup, kind } = dataSource
  // Of a reference that was decoded, an absent group is null.
  const isKnown =
    (kind === 'PersistentVolumeClaim' && !apiGroup) ||
    (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io')
  return isKnown ? next : without(next, 'dataSource')
}

/** dataSource and dataSourceRef say the same, unless the reference crosses namespaces. */
function withAgreeingSources(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
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
