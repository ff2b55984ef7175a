// Warnings for claims, alone and as templates of a StatefulSet.

import { parseQuantity } from '#objects'
import { quote } from '../field-error.ts'
import type { PersistentVolumeClaimSpec } from '../generated/types.ts'

const oneByte = 1_000_000_000n
const oneMilli = oneByte / 1000n

/** Of the spec below `path`: the size of a claim is a whole number of bytes, thousandths at least. */
export function claimWarnings(spec: PersistentVolumeClaimSpec, path: string): readonly string[] {
  const storage = spec.resources?.requests?.['storage'] ?? '0'
  const { nano } = parseQuantity(storage)
  // Thousandths are rounded up before they are looked at.
  if ((((nano + oneMilli - 1n) / oneMilli) * oneMilli) % oneByte === 0n) return []
  return [
    `${path}.resources.requests[storage]: fractional byte value ${quote(String(storage))} is invalid, must be an integer`,
  ]
}
