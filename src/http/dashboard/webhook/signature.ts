// Whether a message comes from where it says: by a signature, or by a word that only the sender knows.

import { createHmac, timingSafeEqual } from 'node:crypto'

/** `sha256=…`, or the bare digest. */
export function isSigned(body: Buffer, secret: string, sent: string): boolean {
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  return isSameText(sent.replace(/^sha256=/, ''), digest)
}

export function isSameText(sent: string, expected: string): boolean {
  const [a, b] = [Buffer.from(sent), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
