// How Argo CD's Secrets and ConfigMaps say that repositories are reached: Secrets of type `repository` for one, `repo-creds` for
// all below a URL (the longest counts), CAs by host in argocd-tls-certs-cm. What the Secret of the repository leaves out, the
// other says.

import { accessKey, type Credentials, isBelowAccessKey, type RemoteAccess } from '#gitops/source'
import { ConfigMap, Secret } from '#kinds'
import type { Cache } from '#reconcile'
import { argocdNamespace } from '../application/names.ts'

const typeLabel = 'argocd.argoproj.io/secret-type'
const knownHostsName = 'argocd-ssh-known-hosts-cm'
const certificatesName = 'argocd-tls-certs-cm'

type Text = (field: string) => string | undefined

export const isCredentialsSecret = ({ metadata }: Secret): boolean =>
  metadata.namespace === argocdNamespace && ['repository', 'repo-creds'].includes(metadata.labels?.[typeLabel] ?? '')

/** Of a git repository, or of a Helm repository or registry. */
export function accessFor(cache: Cache, url: string): RemoteAccess {
  const key = accessKey(url)
  if (key === undefined) return {}
  const { own, above } = secretsFor(cache, key)
  const field: Text = (name) => own?.(name) ?? above?.(name)
  // A user of one and a password of another would be nobody.
  const shown = own !== undefined && showsSomething(own) ? own : above
  // The second is the older name, of ssh alone.
  const insecure = ['insecure', 'insecureIgnoreHostKey'].some((name) => own?.(name) === 'true')
  const ca = authorityOf(cache, key)
  const [certificate, clientKey] = [shown?.('tlsClientCertData'), shown?.('tlsClientCertKey')]
  const [proxy, depth] = [field('proxy'), own?.('depth')]
  return {
    credentials: shown === undefined ? undefined : credentialsIn(shown),
    tls: { ca, insecure, certificate, key: clientKey },
    ...(proxy === undefined ? {} : { proxies: { http: proxy, https: proxy, none: field('noProxy') } }),
    ...(depth === undefined ? {} : { depth }),
  }
}

interface Found {
  readonly own: Text | undefined
  readonly above: Text | undefined
}

function secretsFor(cache: Cache, wanted: string): Found {
  let own: Text | undefined
  let above: { readonly text: Text; readonly length: number } | undefined
  for (const secret of cache.list(Secret, argocdNamespace)) {
    if (!isCredentialsSecret(secret)) continue
    const text = textOf(secret)
    const key = accessKey(text('url') ?? '')
    if (key === undefined) continue
    if (isForOne(secret)) own = key === wanted ? (own ?? text) : own
    else if (isBelowAccessKey(key, wanted) && key.length > (above?.length ?? 0)) above = { text, length: key.length }
  }
  return { own, above: above?.text }
}

const isForOne = ({ metadata }: Secret): boolean => metadata.labels?.[typeLabel] === 'repository'

const textOf =
  ({ data }: Secret): Text =>
  (field) => {
    const value = data?.[field]
    const text = value === undefined ? '' : Buffer.from(value, 'base64').toString('utf8')
    return text === '' ? undefined : text
  }

const showsSomething = (text: Text): boolean =>
  credentialsIn(text) !== undefined || text('tlsClientCertData') !== undefined

function credentialsIn(text: Text): Credentials | undefined {
  const sshPrivateKey = text('sshPrivateKey')
  if (sshPrivateKey !== undefined) return { sshPrivateKey }
  const bearerToken = text('bearerToken')
  if (bearerToken !== undefined) return { bearerToken }
  const [username, password] = [text('username'), text('password')]
  return username === undefined && password === undefined
    ? undefined
    : { username: username ?? '', password: password ?? '', atOnce: text('forceHttpBasicAuth') === 'true' }
}

/** The certificates that are to be trusted of a host; its port does not count. */
function authorityOf(cache: Cache, key: string): string | undefined {
  const host = /^[a-z]+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)/.exec(key)?.[1]?.replace(/^\[|\]$/g, '')
  const known = cache.get(ConfigMap, `${argocdNamespace}/${certificatesName}`)?.data ?? {}
  const name = Object.keys(known).find((each) => each.toLowerCase() === host)
  const text = name === undefined ? undefined : known[name]
  return text === undefined || text.trim() === '' ? undefined : text
}

/** What says whom remotes must be: keys of ssh hosts, CAs of https hosts. */
export const isTrust = ({ metadata }: ConfigMap): boolean =>
  metadata.namespace === argocdNamespace && [knownHostsName, certificatesName].includes(metadata.name ?? '')

/** Keys of ssh hosts that all applications may trust. */
export const knownHosts = (cache: Cache): string | undefined =>
  cache.get(ConfigMap, `${argocdNamespace}/${knownHostsName}`)?.data?.['ssh_known_hosts']
