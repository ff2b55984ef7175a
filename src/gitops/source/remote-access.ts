// How a remote is reached: what it is shown, whom it must be, and by which way. People say so for a repository, or for
// all below a URL; asked for at each fetch, since it may be changed while the process runs.

import type { Proxies, Tls } from '#gitops/web'
import type { Credentials } from './repo-url.ts'
import { allCommits } from './shallow.ts'
import { SourceError } from './source-error.ts'

export interface RemoteAccess {
  readonly credentials?: Credentials | undefined
  readonly tls?: Tls | undefined
  /** Of this remote; without them those of the environment. */
  readonly proxies?: Proxies | undefined
  /** How many commits of each history are fetched, as people wrote it. */
  readonly depth?: string | undefined
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

/** As Argo CD reads it: none and less than one are all of history. Throws SourceError for what is no number. */
export function depthOf({ depth = '' }: Pick<RemoteAccess, 'depth'>): number | undefined {
  if (depth === '') return undefined
  if (!isDepth(depth))
    throw new SourceError(
      'Unsupported',
      '`depth` of the repository is no whole number: write how many commits are fetched, or leave it out',
    )
  const commits = Number(depth)
  return commits > 0 ? Math.min(commits, allCommits) : undefined
}

export const isDepth = (text: string): boolean => /^[+-]?\d{1,18}$/.test(text)
