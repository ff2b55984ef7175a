// Whether a signature holds, by Node's cryptography. Keys and signatures come from anybody: what it does not take (a modulus of
// absurd size, say) does not hold either.

import { type KeyObject, verify } from 'node:crypto'

export type UsedKey = KeyObject | { readonly key: KeyObject; readonly dsaEncoding: 'ieee-p1363' }

/** `hash` is null where the kind of key says it. */
export function holds(
  hash: string | null,
  bytes: Buffer,
  by: { readonly key: UsedKey; readonly made: Buffer },
): boolean {
  try {
    return verify(hash, bytes, by.key, by.made)
  } catch {
    return false
  }
}
