// Rotates the token of a cluster, as Argo CD does: another Secret of the same service account there, its token tried and kept,
// and the Secret before it deleted, which ends the old token.

import type { Client } from '#client'
import type { ClusterEntry } from '#gitops'
import { Secret, ServiceAccount } from '#kinds'
import type { Context } from './context.ts'
import { RestError } from './rest-error.ts'
import { fieldsOf, replaceDescription } from './secret-fields.ts'

export interface Rotated {
  readonly secret: Secret
  readonly entry: ClusterEntry
}

interface Claims {
  readonly namespace: string
  readonly account: string
  readonly secretName: string
}

export async function rotateAuth(context: Context, { secret, entry }: Rotated): Promise<void> {
  const { clusters } = context.gitops
  const { server, way } = entry
  if (way.type === 'refused') throw new RestError('failedPrecondition', way.reason)
  const token = way.type === 'connection' ? way.connection.token?.() : undefined
  if (way.type !== 'connection' || token === undefined)
    throw new RestError('invalidArgument', `Cluster '${server}' does not use bearer token authentication`)
  const claims = claimsIn(token)
  if (claims === undefined)
    throw new RestError(
      'invalidArgument',
      `the token of cluster '${server}' is not of a Secret of a service account: only such tokens can be rotated`,
    )
  const fresh = await clusters.talk(way.connection, (client) => anotherToken(context, client, claims))
  const { clientCertificate: _certificate, clientKey: _key, ...rest } = way.connection
  const connection = { ...rest, token: () => fresh.token }
  await clusters.talk(connection, (client) => client.request({ verb: 'get', path: '/version' }))
  await replaceDescription(context, secret, {
    type: 'cluster',
    fields: { ...fieldsOf(secret), config: withToken(fieldsOf(secret)['config'] ?? '{}', fresh.token) },
  })
  await clusters.talk(connection, (client) => endOldToken(client, claims, fresh.name))
}

/** What the token says of itself, in the old form or in that of bound tokens. It is only believed in so far as the cluster finds the Secret. */
function claimsIn(token: string): Claims | undefined {
  let claims: Fields
  try {
    claims = fieldsIn(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')))
  } catch {
    return undefined
  }
  const flat = (name: string): string => textOf(claims?.[`kubernetes.io/serviceaccount/${name}`])
  const bound = fieldsIn(claims?.['kubernetes.io'])
  const found = {
    namespace: flat('namespace') || textOf(bound?.['namespace']),
    account: flat('service-account.name') || textOf(fieldsIn(bound?.['serviceaccount'])?.['name']),
    secretName: flat('secret.name') || textOf(fieldsIn(bound?.['secret'])?.['name']),
  }
  return Object.values(found).includes('') ? undefined : found
}

type Fields = Readonly<Record<string, unknown>> | undefined

const fieldsIn = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as NonNullable<Fields>) : undefined

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** How long the other cluster may take to fill a Secret in, and how often it is asked. */
const fillMs = 30_000
const askMs = 500

async function anotherToken(
  { world }: Context,
  client: Client,
  { namespace, secretName }: Claims,
): Promise<{ readonly name: string; readonly token: string }> {
  const before = await client.get(Secret, { namespace, name: secretName })
  const generateName = `${secretName.slice(0, Math.max(secretName.lastIndexOf('-'), 0)) || secretName}-`
  const account = before.metadata.annotations?.['kubernetes.io/service-account.name'] ?? ''
  const made = await client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, generateName, annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  })
  const { name = '' } = made.metadata
  const limitAt = world.clock.now() + fillMs
  for (let secret = made; ; secret = await client.get(Secret, { namespace, name })) {
    const token = secret.data?.['token']
    if (token !== undefined) return { name, token: Buffer.from(token, 'base64').toString('utf8') }
    if (world.clock.now() >= limitAt)
      throw new RestError(
        'unavailable',
        `timed out waiting for the cluster to make a token for Secret ${namespace}/${name}`,
      )
    await world.clock.sleep(askMs)
  }
}

function withToken(config: string, bearerToken: string): string {
  const { tlsClientConfig, ...rest } = JSON.parse(config) as { readonly tlsClientConfig?: Record<string, unknown> }
  const { certData: _certificate, keyData: _key, ...tls } = tlsClientConfig ?? {}
  return JSON.stringify({ ...rest, bearerToken, tlsClientConfig: tls })
}

async function endOldToken(client: Client, { namespace, account, secretName }: Claims, name: string): Promise<void> {
  const before = await client.get(ServiceAccount, { namespace, name: account })
  const others = (before.secrets ?? []).filter((each) => each.name !== secretName && each.name !== name)
  await client.update(ServiceAccount, { ...before, secrets: [...others, { name }] })
  await client.delete(Secret, { namespace, name: secretName })
}
