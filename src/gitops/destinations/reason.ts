// Why an outside cluster cannot be looked at, in words that say what to do. Nothing secret gets into them, whatever the
// server answered.

import { ApiError } from '#api'
import type { Connection } from '#client'
import type { ClusterEntry } from './cluster-entry.ts'

/** Shorter ones are no secrets, and would be found everywhere. */
const shortestSecret = 6

/** `secrets`: beside those that the entry holds. */
export function reasonOf(error: unknown, entry: ClusterEntry, secrets: readonly string[] = []): string {
  const connection = entry.way.type === 'connection' ? entry.way.connection : undefined
  const text = error instanceof Error ? error.message : String(error)
  const told = withoutSecrets(text.replace(`${entry.server}: `, ''), [...secretsOf(connection), ...secrets])
  if (error instanceof ApiError && error.code === 401)
    return `the server does not accept the credentials of ${entry.origin} (401 Unauthorized: ${told})`
  if (error instanceof ApiError && error.code === 503 && /certificate|altnames|issuer/i.test(told))
    return `the certificate of the server is not trusted (${told}): the CA in ${entry.origin} must be the one that signed it, and the address or serverName must be in it`
  return told
}

const secretsOf = (connection: Connection | undefined): readonly string[] =>
  [tokenOf(connection), connection?.basic?.password, proxyPassword(connection?.proxyUrl)].filter(
    (secret): secret is string => secret !== undefined,
  )

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= shortestSecret)
    .reduce((told, secret) => told.replaceAll(secret, '******'), text)

const proxyPassword = (address: string | undefined): string | undefined =>
  address === undefined || !URL.canParse(address) ? undefined : new URL(address).password

function tokenOf(connection: Connection | undefined): string | undefined {
  try {
    return connection?.token?.()
  } catch {
    // A token file that is gone holds no secret.
    return undefined
  }
}
