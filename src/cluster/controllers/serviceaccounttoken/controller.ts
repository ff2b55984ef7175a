// Fills Secrets of type kubernetes.io/service-account-token, the old way to a token that does not end, and deletes them
// with their service account, which lists none that is gone.
// Reads: Secrets, ServiceAccounts, the announced CA.
// Writes: Secrets (data, delete), ServiceAccounts (secrets); tokens, from the server.

import { isNotFound } from '#api'
import { ConfigMap, Secret, ServiceAccount } from '#kinds'
import { objectKey } from '#objects'
import { type Cache, done, type Index, isTerminating, type Kit, type Outcome, watching } from '#reconcile'
import { refOf } from '../claims.ts'
import { defineController } from '../define.ts'
import { findLive } from '../live.ts'

const tokenType = 'kubernetes.io/service-account-token'
const nameAnnotation = 'kubernetes.io/service-account.name'
const uidAnnotation = 'kubernetes.io/service-account.uid'
const announcement = 'kube-system/extension-apiserver-authentication'
/** The longest that the server grants: such tokens are meant to stay. */
const longestSeconds = 4_294_967_296

const tokensByAccount: Index<Secret> = {
  name: 'account',
  kind: Secret,
  values: (secret) => {
    const name = accountOf(secret)
    return name === undefined ? [] : [`${secret.metadata.namespace}/${name}`]
  },
}

const accountsByToken: Index<ServiceAccount> = {
  name: 'tokens',
  kind: ServiceAccount,
  values: ({ metadata, secrets = [] }) => secrets.map(({ name }) => `${metadata.namespace}/${name}`),
}

export const serviceAccountTokenController = defineController({
  name: 'serviceaccounttoken',
  user: 'system:kube-controller-manager',
  reconciles: Secret,
  watches: [
    watching(Secret, (secret) => (accountOf(secret) === undefined ? [] : [objectKey(secret)])),
    watching(ServiceAccount, (account, _old, cache: Cache) =>
      cache.by(tokensByAccount, objectKey(account)).map(objectKey),
    ),
    watching(ConfigMap, tokensOf),
  ],
  reconcile,
})

/** All have the authority that is announced, also those that were filled before it was. */
function tokensOf(announced: ConfigMap, _old: ConfigMap | undefined, cache: Cache): readonly string[] {
  if (objectKey(announced) !== announcement) return []
  const secrets = cache.list(Secret).filter((secret) => accountOf(secret) !== undefined)
  return secrets.map(objectKey)
}

function accountOf({ type, metadata }: Secret): string | undefined {
  return type === tokenType ? metadata.annotations?.[nameAnnotation] : undefined
}

async function reconcile(key: string, kit: Kit): Promise<Outcome> {
  const secret = kit.cache.get(Secret, key)
  if (secret === undefined) {
    for (const account of kit.cache.by(accountsByToken, key)) await unlist(kit, account, key)
    return done()
  }
  const name = accountOf(secret)
  if (name === undefined || isTerminating(secret)) return done()
  const account = await ownerOf(kit, secret, name)
  const authority = kit.cache.get(ConfigMap, announcement)?.data?.['client-ca-file'] ?? ''
  if (account === undefined) await remove(kit, secret)
  else if (isIncomplete(secret, authority)) await fill(kit, secret, { account, authority })
  return done()
}

/** The account that the Secret names: by its uid too, if it says so. */
async function ownerOf(kit: Kit, { metadata }: Secret, name: string): Promise<ServiceAccount | undefined> {
  const { namespace = '', annotations } = metadata
  const uid = annotations?.[uidAnnotation]
  const isMeant = (account: ServiceAccount | undefined): boolean => !uid || account?.metadata.uid === uid
  const cached = kit.cache.get(ServiceAccount, `${namespace}/${name}`)
  if (cached !== undefined && isMeant(cached)) return cached
  const live = await findLive(kit, ServiceAccount, { namespace, name })
  return isMeant(live) ? live : undefined
}

/** What it says of the namespace may be somebody's own; which authority there is, not. */
const isIncomplete = ({ data = {} }: Secret, authority: string): boolean =>
  !data['token'] || !data['namespace'] || (authority !== '' && data['ca.crt'] !== btoa(authority))

async function unlist(kit: Kit, { metadata, ...account }: ServiceAccount, key: string): Promise<void> {
  const secrets = (account.secrets ?? []).filter(({ name }) => `${metadata.namespace}/${name}` !== key)
  try {
    await kit.client.update(ServiceAccount, { ...account, metadata, secrets })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function remove(kit: Kit, secret: Secret): Promise<void> {
  const { uid } = secret.metadata
  try {
    await kit.client.delete(Secret, refOf(secret), uid === undefined ? {} : { preconditions: { uid } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

async function fill(
  kit: Kit,
  secret: Secret,
  { account, authority }: { readonly account: ServiceAccount; readonly authority: string },
): Promise<void> {
  const { namespace = '', name = '', uid = '' } = secret.metadata
  const token = secret.data?.['token'] || btoa(await requestToken(kit, account, { name, uid }))
  const annotations = { ...secret.metadata.annotations, [uidAnnotation]: account.metadata.uid ?? '' }
  const data = {
    ...secret.data,
    ...(authority === '' ? {} : { 'ca.crt': btoa(authority) }),
    namespace: secret.data?.['namespace'] || btoa(namespace),
    token,
  }
  await kit.client.update(Secret, { ...secret, metadata: { ...secret.metadata, annotations }, data })
}

async function requestToken(
  kit: Kit,
  account: ServiceAccount,
  secret: { readonly name: string; readonly uid: string },
): Promise<string> {
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', ...secret }
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences: [], expirationSeconds: longestSeconds, boundObjectRef },
  }
  const answer = await kit.client.createSubresource(ServiceAccount, refOf(account), 'token', request)
  return (answer['status'] as { readonly token?: string } | undefined)?.token ?? ''
}
