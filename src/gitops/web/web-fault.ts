/** Why there was no answer. Says no address: paths and queries may hold secrets, and whoever asks knows what it asked. */
export class WebFault extends Error {
  override readonly name = 'WebFault'
}
