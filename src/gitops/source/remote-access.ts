// How a remote is reached: what it is shown, whom it must be, and by which way. People say so for a repository, or for
// all below a URL; asked for at each fetch, since it may be changed while the process runs.

import type { Proxies, Tls } from '#gitops/web'
import type { Credentials } from './repo-url.ts'

export interface RemoteAccess {
  readonly credentials?: Credentials | undefined
  readonly tls?: Tls | undefined
  /** Of this remote; without them those of the environment. */
  readonly proxies?: Proxies | undefined
}

export type AccessOf = () => RemoteAccess

/** Texts that must not be shown. */
export function secretsOf({ credentials = {}, proxies = {} }: RemoteAccess): readonly string[] {
  const { username = '', password, bearerToken } = credentials
  const ofProxies = [proxies.http, proxies.https].flatMap((text) =>
    text !== undefined && URL.canParse(text) ? [new URL(text).password] : [],
  )
  // Without a password the name is a token.
  const own = password === undefined ? [] : [password === '' ? username : password, `${username}:${password}`]
  return [...own, ...(bearerToken === undefined ? [] : [bearerToken]), ...ofProxies].filter((text) => text !== '')
}
