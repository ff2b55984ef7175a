/** Why something is no signature or key that can be checked. Comes from hostile input, and is always expected. */
export class SignatureFault extends Error {
  override readonly name = 'SignatureFault'
}
