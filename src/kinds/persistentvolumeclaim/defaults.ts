// Defaults of a PersistentVolumeClaim.

import type { PersistentVolumeClaim } from '../generated/types.ts'
import { claimSpecDefaults } from '../podspec/claim-defaults.ts'
import { withDefaults } from '../sharing.ts'

export const claimDefaults = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  withDefaults(claim, {
    spec: claimSpecDefaults(claim.spec ?? {}),
    status: withDefaults(claim.status ?? {}, { phase: claim.status?.phase || 'Pending' }),
  })
