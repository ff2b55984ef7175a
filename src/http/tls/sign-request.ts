// Reads certificate requests, and signs them as the signers of kube-controller-manager do: subject and alternative names are those of the
// request, usages those that were asked for, and nothing else of the request's extensions is taken over.

import { type CertifiedKey, keyFromPem, library, serialNumber } from './issue.ts'

/** Object identifier of the extension that names hosts and addresses. */
const alternativeNames = '2.5.29.17'
/** So that clients whose clock is a little behind accept a certificate. */
const backdatedMs = 5 * 60_000
/** Certificates that are good for less than this end no earlier for it. */
const shortMs = 8 * 3_600_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

const keyUsages: Readonly<Record<string, number>> = {
  signing: 1,
  'digital signature': 1,
  'content commitment': 2,
  'key encipherment': 4,
  'data encipherment': 8,
  'key agreement': 16,
  'cert sign': 32,
  'crl sign': 64,
  'encipher only': 128,
  'decipher only': 256,
}
const keyPurposes = '1.3.6.1.5.5.7.3'
/** In the order in which Go writes them. */
const purposes: readonly (readonly [usage: string, id: string])[] = [
  ['any', '2.5.29.37.0'],
  ['server auth', `${keyPurposes}.1`],
  ['client auth', `${keyPurposes}.2`],
  ['code signing', `${keyPurposes}.3`],
  ['email protection', `${keyPurposes}.4`],
  ['s/mime', `${keyPurposes}.4`],
  ['ipsec end system', `${keyPurposes}.5`],
  ['ipsec tunnel', `${keyPurposes}.6`],
  ['ipsec user', `${keyPurposes}.7`],
  ['timestamping', `${keyPurposes}.8`],
  ['ocsp signing', `${keyPurposes}.9`],
  ['microsoft sgc', '1.3.6.1.4.1.311.10.3.3'],
  ['netscape sgc', '2.16.840.1.113730.4.1'],
]

export interface SigningOrder {
  /** PEM of a certificate request. */
  readonly request: string
  /** As Kubernetes names them. */
  readonly usages: readonly string[]
  readonly validMs: number
}

/** Who a certificate request is about. */
export interface RequestedIdentity {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly dnsNames: readonly string[]
  readonly emails: readonly string[]
  readonly addresses: readonly string[]
  readonly uris: readonly string[]
}

/** A certificate for what somebody else has the key of. */
export async function signRequest(authority: CertifiedKey, order: SigningOrder): Promise<string> {
  const x509 = await library()
  const asked = new x509.Pkcs10CertificateRequest(order.request)
  if (!(await asked.verify())) throw new Error('the signature of the certificate request is wrong')
  const issuer = new x509.X509Certificate(authority.certificatePem)
  const names = asked.getExtension(alternativeNames)
  const keyUsage = order.usages.reduce((flags, usage) => flags | (keyUsages[usage] ?? 0), 0)
  const extended = new Set(purposes.flatMap(([usage, id]) => (order.usages.includes(usage) ? [id] : [])))
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: asked.subject,
    issuer: issuer.subject,
    ...validity(order.validMs, issuer.notAfter),
    signingAlgorithm: algorithm,
    publicKey: asked.publicKey,
    signingKey: await keyFromPem(authority.keyPem),
    extensions: [
      ...(keyUsage === 0 ? [] : [new x509.KeyUsagesExtension(keyUsage, true)]),
      ...(extended.size === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...extended])]),
      new x509.BasicConstraintsExtension(false, undefined, true),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      ...(names === null ? [] : [names]),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

/** No certificate outlives the one that signs it. */
function validity(validMs: number, end: Date): { readonly notBefore: Date; readonly notAfter: Date } {
  const now = Date.now()
  const until = now + (validMs < shortMs ? validMs : validMs - backdatedMs)
  return { notBefore: new Date(now - backdatedMs), notAfter: new Date(Math.min(until, end.getTime())) }
}

/** Subject and alternative names of a certificate request; throws when the PEM is none. */
export async function readRequest(pem: string): Promise<RequestedIdentity> {
  const x509 = await library()
  const asked = new x509.Pkcs10CertificateRequest(pem)
  const extension = asked.getExtension(alternativeNames)
  const names = extension === null ? [] : new x509.SubjectAlternativeNameExtension(extension.rawData).names.items
  const of = (type: string): readonly string[] => names.filter((name) => name.type === type).map(({ value }) => value)
  return {
    commonName: asked.subjectName.getField('CN')[0] ?? '',
    organizations: asked.subjectName.getField('O'),
    dnsNames: of('dns'),
    emails: of('email'),
    addresses: of('ip'),
    uris: of('url'),
  }
}
