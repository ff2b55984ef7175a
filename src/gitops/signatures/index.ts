// Checks signatures of commits and tags: OpenPGP with keys that were given, ssh by the key that comes along. Pure.

import { SignatureFault } from './fault.ts'
import type { Keyring } from './openpgp/keyring.ts'
import { verifyOpenPgp } from './openpgp/verify.ts'
import { sshTitle, verifySsh } from './ssh.ts'
import type { SignedText, Verdict } from './verdict.ts'

export { type Keyring, readKeyring } from './openpgp/keyring.ts'
export type { SignedText, Verdict } from './verdict.ts'

export function verifySignature(text: SignedText, keyring: Keyring, now: number): Verdict {
  try {
    return text.signature.includes(`-----BEGIN ${sshTitle}-----`) ? verifySsh(text) : verifyOpenPgp(text, keyring, now)
  } catch (error) {
    if (error instanceof SignatureFault) return { result: 'unreadable', message: error.message }
    throw error
  }
}
