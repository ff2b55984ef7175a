// Tokens of service accounts: JSON Web Tokens signed by a key that this server draws (or is given), and checked against
// the accounts that exist. Keys come from the system's secure source, never from the world.

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { parseTime } from '#objects'
import type { Store } from '#store'
import type { World } from '#world'

export const issuerUrl = 'https://kubernetes.default.svc'
const keyId = 'homeostat'

export interface BoundObject {
  /** `pod`, `secret`, `node`: as the claim names it. */
  readonly kind: string
  readonly name: string
  readonly uid: string
}

export interface TokenOrder {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly audiences: readonly string[]
  readonly seconds: number
  readonly bound?: BoundObject
  /** Where the pod runs that the token is bound to. */
  readonly node?: { readonly name: string; readonly uid?: string }
}

export interface TokenIdentity {
  readonly user: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
  readonly audiences: readonly string[]
  /** The Secret that the token is bound to: `namespace/name`. */
  readonly secret?: string
}

export interface ServiceAccountTokens {
  issue(order: TokenOrder): { readonly token: string; readonly expiresAt: number }
  /** Who a token stands for; undefined when it is not good (any more). */
  verify(token: string): TokenIdentity | undefined
  /** The key that tokens can be checked with, as a JSON Web Key. */
  publicKey(): object
}

interface Reference {
  readonly name: string
  readonly uid?: string
}

interface Claims {
  readonly iss: string
  readonly sub: string
  readonly jti?: string
  readonly aud: readonly string[]
  readonly exp: number
  readonly nbf: number
  readonly 'kubernetes.io': {
    readonly namespace: string
    readonly serviceaccount: { readonly name: string; readonly uid: string }
    readonly pod?: Reference
    readonly secret?: Reference
    readonly node?: Reference
  }
}

/** Clocks may differ by this much, and what is being deleted is given as long. */
const leewayMs = 60_000

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A private key to sign with, as PEM. */
export const drawServiceAccountKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** `pem` is the private key to sign with; without one, a key is drawn when it is first needed. */
export function createServiceAccountTokens(
  world: World,
  store: Store,
  pem: string | (() => string) = drawServiceAccountKey,
): ServiceAccountTokens {
  let keys: { readonly secret: KeyObject; readonly open: KeyObject } | undefined
  const keyPair = (): NonNullable<typeof keys> => {
    if (keys !== undefined) return keys
    const secret = createPrivateKey(typeof pem === 'string' ? pem : pem())
    keys = { secret, open: createPublicKey(secret) }
    return keys
  }
  const algorithm = { dsaEncoding: 'ieee-p1363' } as const
  return {
    issue(order) {
      const now = Math.floor(world.clock.now() / 1000)
      const { bound, node } = order
      const claims = {
        aud: order.audiences,
        exp: now + order.seconds,
        iat: now,
        iss: issuerUrl,
        jti: world.random.uuid(),
        'kubernetes.io': {
          namespace: order.namespace,
          ...(node === undefined ? {} : { node }),
          ...(bound === undefined ? {} : { [bound.kind]: { name: bound.name, uid: bound.uid } }),
          serviceaccount: { name: order.name, uid: order.uid },
        },
        nbf: now,
        sub: `system:serviceaccount:${order.namespace}:${order.name}`,
      }
      const head = `${encode({ alg: 'ES256', kid: keyId })}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(head), { key: keyPair().secret, ...algorithm })
      return { token: `${head}.${signature.toString('base64url')}`, expiresAt: claims.exp * 1000 }
    },
    verify(token) {
      const [head = '', body = '', signature = '', rest] = token.split('.')
      if (signature === '' || rest !== undefined) return undefined
      const good = verify(
        'sha256',
        Buffer.from(`${head}.${body}`),
        { key: keyPair().open, ...algorithm },
        Buffer.from(signature, 'base64url'),
      )
      return good
        ? identityOf(world, store, JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Claims)
        : undefined
    },
    publicKey() {
      const { kty, crv, x, y } = keyPair().open.export({ format: 'jwk' })
      return { use: 'sig', kty, kid: keyId, crv, alg: 'ES256', x, y }
    },
  }
}

function identityOf(world: World, store: Store, claims: Claims): TokenIdentity | undefined {
  const now = world.clock.now()
  const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io']
  if (claims.exp * 1000 + leewayMs < now || claims.nbf * 1000 - leewayMs > now) return undefined
  const isThere = (bucket: string, key: string, uid: string | undefined): boolean => {
    const found = store.get(bucket, key)?.value.metadata
    const deletedAt = parseTime(found?.deletionTimestamp) ?? Number.POSITIVE_INFINITY
    return found !== undefined && (uid === undefined || found.uid === uid) && deletedAt + leewayMs >= now
  }
  if (!isThere('serviceaccounts', `${namespace}/${serviceaccount.name}`, serviceaccount.uid)) return undefined
  if (pod !== undefined && !isThere('pods', `${namespace}/${pod.name}`, pod.uid)) return undefined
  if (secret !== undefined && !isThere('secrets', `${namespace}/${secret.name}`, secret.uid)) return undefined
  // Where a pod runs is only told; a token that is bound to a node ends with it.
  if (pod === undefined && node !== undefined && !isThere('nodes', node.name, node.uid)) return undefined
  return {
    user: claims.sub,
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: extraOf(claims),
    audiences: claims.aud,
    ...(secret === undefined ? {} : { secret: `${namespace}/${secret.name}` }),
  }
}

function extraOf({ jti, 'kubernetes.io': { pod, node } }: Claims): TokenIdentity['extra'] {
  const extra: Record<string, readonly string[]> = {}
  const add = (key: string, value: string | undefined): void => {
    if (value !== undefined) extra[`authentication.kubernetes.io/${key}`] = [value]
  }
  add('credential-id', jti === undefined ? undefined : `JTI=${jti}`)
  add('node-name', node?.name)
  add('node-uid', node?.uid)
  add('pod-name', pod?.name)
  add('pod-uid', pod?.uid)
  return extra
}
