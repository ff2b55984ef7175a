// What passes between this process and a command that signs in: what the command is told (KUBERNETES_EXEC_INFO) and the
// ExecCredential that it prints. Pure. What is printed is secret, so no message repeats any of it.

import { z } from 'zod'
import type { Credential, ExecCommand } from '#client'

export interface Signed {
  readonly credential: Credential
  /** Of real time; undefined: until it is refused. */
  readonly expiresAt?: number
}

export const execInfo = ({ apiVersion, cluster }: ExecCommand): string =>
  JSON.stringify({
    ...{ apiVersion, kind: 'ExecCredential' },
    spec: { ...(cluster === undefined ? {} : { cluster }), interactive: false },
  })

const maybeText = z
  .string()
  .nullish()
  .transform((value) => (value === null || value === '' ? undefined : value))

const execCredential = z.object({
  kind: z.literal('ExecCredential'),
  apiVersion: z.string().startsWith('client.authentication.k8s.io/'),
  status: z.object({
    token: maybeText,
    clientCertificateData: maybeText,
    clientKeyData: maybeText,
    expirationTimestamp: maybeText,
  }),
})

/** The credential, or what is wrong with what was printed. */
export function readCredential(text: string): Signed | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'what it printed is no JSON'
  }
  const checked = execCredential.safeParse(value)
  if (!checked.success) {
    const path = checked.error.issues[0]?.path.map(String).join('.')
    return `what it printed is no ExecCredential${path === undefined || path === '' ? '' : `: see ${path}`}`
  }
  const { token, clientCertificateData: clientCertificate, clientKeyData: clientKey } = checked.data.status
  if ((clientCertificate === undefined) !== (clientKey === undefined))
    return 'it gave a certificate without its key, or a key without its certificate'
  if (token === undefined && clientCertificate === undefined) return 'it gave neither a token nor a certificate'
  const isPem = [clientCertificate, clientKey].every((pem) => pem === undefined || pem.includes('-----BEGIN '))
  if (!isPem) return 'its certificate or key is no PEM'
  const { expirationTimestamp } = checked.data.status
  const expiresAt = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp)
  if (Number.isNaN(expiresAt)) return 'its expirationTimestamp is no time'
  return {
    credential: {
      ...(token === undefined ? {} : { token }),
      ...(clientCertificate === undefined || clientKey === undefined ? {} : { clientCertificate, clientKey }),
    },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}
