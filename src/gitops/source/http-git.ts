// Git over http(s), by isomorphic-git: no git program is needed.

import * as fs from 'node:fs'
import * as git from 'isomorphic-git'
import { noProxies, type Proxies } from '#gitops/web'
import { httpTransport } from './http-transport.ts'
import type { RefTable } from './refs.ts'
import { type AccessOf, type RemoteAccess, secretsOf } from './remote-access.ts'
import type { Credentials } from './repo-url.ts'
import { messageOf, scrub } from './source-error.ts'
import { isKeptRef, type Transport } from './transport.ts'

export interface HttpOptions {
  /** Without credentials. */
  readonly url: string
  readonly access: AccessOf
  /** Of the environment, where the remote has none of its own. */
  readonly proxies?: Proxies
  /** Asked where nobody has said anything and the remote wants to know who comes. */
  readonly helper?: () => Promise<Credentials | undefined>
}

export function httpGit(options: HttpOptions): Transport {
  const { url, access } = options
  const reached = (): Reached => reach(access(), options)
  return {
    async listRefs(): Promise<RefTable> {
      const listed = await git.listServerRefs({ ...reached(), url, protocolVersion: 1, symrefs: true })
      const refs = new Map<string, string>()
      let head: string | undefined
      for (const { ref, oid } of listed) {
        if (ref === 'HEAD') head = oid
        else if (isKeptRef(ref)) refs.set(ref, oid)
      }
      return { head, refs }
    },
    async download(gitdir) {
      const all = { tags: true, prune: true, pruneTags: true, singleBranch: false }
      await git.fetch({ ...reached(), fs, gitdir, remote: 'origin', url, ...all })
    },
    async downloadCommit(gitdir, id) {
      const one = { ref: id, remoteRef: id, singleBranch: true, tags: false }
      await git.fetch({ ...reached(), fs, gitdir, remote: 'origin', url, ...one })
    },
    explain(error) {
      const cancelled = error instanceof Error && 'code' in error && error.code === 'UserCanceledError'
      if (cancelled) return 'authentication failed: the user name, password or token was refused'
      return withAdvice(error, scrub(messageOf(error), secretsOf(access())))
    },
  }
}

const untrusted = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

function withAdvice(error: unknown, message: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return untrusted.includes(code)
    ? `${message}: the server's certificate is not trusted: add its CA under the name of the host to the ConfigMap argocd/argocd-tls-certs-cm`
    : message
}

interface Reached {
  readonly http: git.HttpClient
  readonly headers?: Record<string, string>
  readonly onAuth?: git.AuthCallback
  readonly onAuthFailure?: git.AuthFailureCallback
}

function reach({ credentials, tls = {}, proxies }: RemoteAccess, options: HttpOptions): Reached {
  const http = httpTransport({ tls, proxies: proxies ?? options.proxies ?? noProxies })
  const refused = { onAuthFailure: () => ({ cancel: true }) }
  if (credentials === undefined) {
    const { helper } = options
    return helper === undefined ? { http } : { http, onAuth: helper, ...refused }
  }
  const { username = '', password = '', bearerToken, atOnce = false } = credentials
  if (bearerToken !== undefined) return { http, headers: { Authorization: `Bearer ${bearerToken}` } }
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  if (atOnce) return { http, headers: { Authorization: `Basic ${basic}` } }
  return { http, onAuth: () => ({ username, password }), ...refused }
}
