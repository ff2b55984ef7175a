// Certificate requests (PKCS #10) with a subject, as clients send them.

import { webcrypto } from 'node:crypto'
import 'reflect-metadata'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Base64 of the PEM, as it stands in spec.request; `subject` is like `CN=jane,O=readers`. */
export async function certificateRequest(subject: string): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const asked = await Pkcs10CertificateRequestGenerator.create(
    { name: subject, keys: keys as never, signingAlgorithm: algorithm },
    webcrypto as never,
  )
  return btoa(asked.toString('pem'))
}
