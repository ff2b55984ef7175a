// What Argo CD's Secrets say of repositories: `repository` for one, `repo-creds` for all below a URL; the longest URL counts.
// Addresses are compared with scheme, host and port, so that credentials never go to another server.

import { type Credentials, exactKey, parseRepoUrl, SourceError } from '#gitops/source'
import { ConfigMap, Secret } from '#kinds'
import type { Cache } from '#reconcile'
import { argocdNamespace } from './names.ts'

const typeLabel = 'argocd.argoproj.io/secret-type'
const knownHostsName = 'argocd-ssh-known-hosts-cm'

export const isCredentialsSecret = ({ metadata }: Secret): boolean =>
  metadata.namespace === argocdNamespace && ['repository', 'repo-creds'].includes(metadata.labels?.[typeLabel] ?? '')

/** Undefined: nobody has said anything of this repository. */
export function credentialsFor(cache: Cache, url: string): Credentials | undefined {
  const wanted = keyOf(url)
  if (wanted === undefined) return undefined
  let best: { readonly secret: Secret; readonly length: number } | undefined
  for (const secret of cache.list(Secret, argocdNamespace)) {
    if (!isCredentialsSecret(secret)) continue
    const key = keyOf(textIn(secret, 'url') ?? '')
    if (key === undefined || !isMeant(secret, key, wanted) || credentialsIn(secret) === undefined) continue
    // A Secret for the very repository wins over one for all below its URL.
    const length = key.length + (isForOne(secret) ? 1 : 0)
    if (best === undefined || length > best.length) best = { secret, length }
  }
  return best === undefined ? undefined : credentialsIn(best.secret)
}

const isForOne = ({ metadata }: Secret): boolean => metadata.labels?.[typeLabel] === 'repository'

const isMeant = (secret: Secret, key: string, wanted: string): boolean =>
  isForOne(secret) ? key === wanted : wanted === key || wanted.startsWith(key.endsWith('/') ? key : `${key}/`)

function keyOf(url: string): string | undefined {
  try {
    const address = parseRepoUrl(url)
    return address.type === 'local' ? undefined : exactKey(address).toLowerCase()
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

function textIn({ data }: Secret, field: string): string | undefined {
  const value = data?.[field]
  const text = value === undefined ? '' : Buffer.from(value, 'base64').toString('utf8')
  return text === '' ? undefined : text
}

function credentialsIn(secret: Secret): Credentials | undefined {
  const sshPrivateKey = textIn(secret, 'sshPrivateKey')
  if (sshPrivateKey !== undefined) return { sshPrivateKey }
  const bearerToken = textIn(secret, 'bearerToken')
  if (bearerToken !== undefined) return { bearerToken }
  const [username, password] = [textIn(secret, 'username'), textIn(secret, 'password')]
  return username === undefined && password === undefined
    ? undefined
    : { username: username ?? '', password: password ?? '' }
}

export const isKnownHosts = ({ metadata }: ConfigMap): boolean =>
  metadata.namespace === argocdNamespace && metadata.name === knownHostsName

/** Keys of ssh hosts that all applications may trust. */
export const knownHosts = (cache: Cache): string | undefined =>
  cache.get(ConfigMap, `${argocdNamespace}/${knownHostsName}`)?.data?.['ssh_known_hosts']
