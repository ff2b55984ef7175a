// What lies in `<data-dir>/pki`: the cluster's CA and the API server's certificate. Made on the first start, kept from
// then on, and made anew when they run out soon, do not fit one another, or lack a name. Keys are for the owner only.

import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type CertifiedKey, issueAuthority, issueLeaf } from './issue.ts'
import { writePrivately } from './private-file.ts'
import { type SigningOrder, signRequest } from './sign-request.ts'

export interface ServingCredentials {
  readonly authority: CertifiedKey
  readonly serving: CertifiedKey
}

const dayMs = 24 * 60 * 60 * 1000
const servingValidMs = 365 * dayMs
/** Certificates are replaced when less than this is left of them. */
export const renewBeforeMs = 30 * dayMs

/** Names that a cluster's API server always goes by. */
export const clusterNames: readonly string[] = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
]
const clusterAddresses = ['127.0.0.1', '::1', '10.96.0.1']

/** Signs certificate requests with the CA of a data directory. */
export const requestSigner =
  (dataDir: string) =>
  async (order: SigningOrder): Promise<string> =>
    signRequest((await servingCredentials(dataDir)).authority, order)

/** Reads the credentials of a data directory, and makes those that are missing or no longer good. */
export async function servingCredentials(
  dataDir: string,
  extraNames: readonly string[] = [],
): Promise<ServingCredentials> {
  const folder = join(dataDir, 'pki')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let authority = await readPair(folder, 'ca')
  if (authority === undefined || !isAuthorityGood(authority, Date.now())) {
    authority = await issueAuthority('homeostat')
    await writePair(folder, 'ca', authority)
  }
  const names = [...new Set([...clusterNames, ...clusterAddresses, ...extraNames])]
  let serving = await readPair(folder, 'apiserver')
  if (serving === undefined || !isServingGood(serving, authority, { names, now: Date.now() })) {
    const subject = { commonName: 'kube-apiserver' }
    serving = await issueLeaf(authority, { usage: 'server', subject, names, validMs: servingValidMs })
    await writePair(folder, 'apiserver', serving)
  }
  return { authority, serving }
}

/** The key that service account tokens are signed with (PEM): tokens outlive a restart. */
export async function readServiceAccountKey(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'pki')
  const path = join(folder, 'sa.key')
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await writePrivately(path, pem)
  return pem
}

export function isAuthorityGood(authority: CertifiedKey, now: number): boolean {
  const certificate = parse(authority.certificatePem)
  return certificate?.ca === true && isFresh(certificate, now) && isKeyOf(certificate, authority.keyPem)
}

export function isServingGood(
  serving: CertifiedKey,
  authority: CertifiedKey,
  wanted: { readonly names: readonly string[]; readonly now: number },
): boolean {
  const certificate = parse(serving.certificatePem)
  const issuer = parse(authority.certificatePem)
  if (certificate === undefined || issuer === undefined || !isFresh(certificate, wanted.now)) return false
  if (!certificate.verify(issuer.publicKey) || !isKeyOf(certificate, serving.keyPem)) return false
  return wanted.names.every((name) => {
    const found = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)
    return found !== undefined
  })
}

function isFresh(certificate: X509Certificate, now: number): boolean {
  return Date.parse(certificate.validFrom) <= now && Date.parse(certificate.validTo) - now > renewBeforeMs
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

function isKeyOf(certificate: X509Certificate, keyPem: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(keyPem))
  } catch {
    return false
  }
}

async function readPair(folder: string, name: string): Promise<CertifiedKey | undefined> {
  try {
    const [certificatePem, keyPem] = await Promise.all([
      readFile(join(folder, `${name}.crt`), 'utf8'),
      readFile(join(folder, `${name}.key`), 'utf8'),
    ])
    return { certificatePem, keyPem }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function writePair(folder: string, name: string, pair: CertifiedKey): Promise<void> {
  await writePrivately(join(folder, `${name}.key`), pair.keyPem)
  await writePrivately(join(folder, `${name}.crt`), pair.certificatePem)
}
