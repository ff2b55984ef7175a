// Makes keys and certificates: a certificate authority, serving certificates and client certificates, all on P-256.
// Keys come from the system's secure source, and validity is in real time: real clients check it by their own clocks.
// The certificate library is loaded only when there is something to make, since most starts find everything on disk.

import { randomBytes, webcrypto } from 'node:crypto'
import { isIP } from 'node:net'

export interface CertifiedKey {
  readonly certificatePem: string
  readonly keyPem: string
}

export interface Subject {
  readonly commonName: string
  readonly organizations?: readonly string[]
}

export interface LeafRequest {
  readonly usage: 'server' | 'client'
  readonly subject: Subject
  /** DNS names and addresses that a serving certificate is good for. */
  readonly names?: readonly string[]
  readonly validMs: number
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const dayMs = 24 * 60 * 60 * 1000
const authorityValidMs = 10 * 365 * dayMs

export async function library() {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0])
  return x509
}

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

/** Begins an hour ago, so that clients whose clock is a little behind accept it. */
function validity(validMs: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + validMs) }
}

export const serialNumber = (): string => `01${randomBytes(15).toString('hex')}`

export async function issueAuthority(commonName: string): Promise<CertifiedKey> {
  const x509 = await library()
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    ...validity(authorityValidMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { certificatePem: `${certificate.toString('pem')}\n`, keyPem: await keyToPem(keys.privateKey) }
}

/** A certificate for a server or a client, signed by `authority`. */
export async function issueLeaf(authority: CertifiedKey, request: LeafRequest): Promise<CertifiedKey> {
  const x509 = await library()
  const keys = await newKeys()
  const issuer = new x509.X509Certificate(authority.certificatePem)
  const { commonName, organizations = [] } = request.subject
  const names = (request.names ?? []).map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const)
  const purpose = request.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [...organizations.map((name) => ({ O: [name] })), { CN: [commonName] }],
    issuer: issuer.subject,
    ...validity(request.validMs),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await keyFromPem(authority.keyPem),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([purpose]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  })
  return { certificatePem: `${certificate.toString('pem')}\n`, keyPem: await keyToPem(keys.privateKey) }
}

async function keyToPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, '$&\n').trimEnd()}\n-----END PRIVATE KEY-----\n`
}

export function keyFromPem(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}
