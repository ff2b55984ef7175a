// Git over http(s), by isomorphic-git: no git program is needed.

import * as fs from 'node:fs'
import * as git from 'isomorphic-git'
import { httpTransport } from './http-transport.ts'
import type { RefTable } from './refs.ts'
import { messageOf, scrub } from './source-error.ts'
import { type CredentialsOf, isKeptRef, type Transport } from './transport.ts'

/** `url` is without credentials. */
export function httpGit(url: string, credentials: CredentialsOf): Transport {
  return {
    async listRefs(): Promise<RefTable> {
      const listed = await git.listServerRefs({ ...access(credentials), url, protocolVersion: 1, symrefs: true })
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
      await git.fetch({ ...access(credentials), fs, gitdir, remote: 'origin', url, ...all })
    },
    explain(error) {
      const cancelled = error instanceof Error && 'code' in error && error.code === 'UserCanceledError'
      if (cancelled) return 'authentication failed: the user name, password or token was refused'
      return scrub(messageOf(error), secretsOf(credentials))
    },
  }
}

function secretsOf(credentials: CredentialsOf): readonly string[] {
  const { username = '', password, bearerToken } = credentials() ?? {}
  return [
    ...(password === undefined ? [] : [password, `${username}:${password}`]),
    ...(bearerToken === undefined ? [] : [bearerToken]),
  ]
}

interface Access {
  readonly http: git.HttpClient
  readonly headers?: Record<string, string>
  readonly onAuth?: git.AuthCallback
  readonly onAuthFailure?: git.AuthFailureCallback
}

function access(credentials: CredentialsOf): Access {
  const given = credentials()
  if (given === undefined) return { http: httpTransport }
  const { username = '', password = '', bearerToken } = given
  if (bearerToken !== undefined) return { http: httpTransport, headers: { Authorization: `Bearer ${bearerToken}` } }
  return { http: httpTransport, onAuth: () => ({ username, password }), onAuthFailure: () => ({ cancel: true }) }
}
