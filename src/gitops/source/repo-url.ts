// What a repository URL means: a local path, an http(s) remote or an ssh remote; and when two URLs mean the same
// repository. Webhooks and the mapping to a local checkout ignore protocol, user, port, `.git` and case, as Argo CD does.
// Mirrors on disk are kept apart by the exact address, since another port may be another server.

import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SourceError } from './source-error.ts'

/** What a remote is shown: a name and password, a token, or (ssh) a private key. */
export interface Credentials {
  readonly username?: string
  readonly password?: string
  readonly bearerToken?: string
  /** Name and password are shown before the server asks. */
  readonly atOnce?: boolean
  /** PEM or OpenSSH. */
  readonly sshPrivateKey?: string
}

export type RepoAddress =
  | { readonly type: 'local'; readonly path: string }
  | { readonly type: 'http'; readonly url: string; readonly credentials: Credentials | undefined }
  /** With the user in the URL, as ssh wants it. */
  | { readonly type: 'ssh'; readonly url: string }

const maxUrlLength = 2048
const scpLike = /^([A-Za-z0-9_][A-Za-z0-9_.-]*@|(?=[A-Za-z0-9-]+\.))([A-Za-z0-9][A-Za-z0-9.-]*):([^:\s]+)$/

/** Throws SourceError for what is no repository address. */
export function parseRepoUrl(text: string): RepoAddress {
  const trimmed = text.trim()
  if (trimmed === '') throw new SourceError('InvalidUrl', 'the repository URL is empty')
  if (trimmed.length > maxUrlLength) throw new SourceError('InvalidUrl', 'the repository URL is too long')
  if (hasControlCharacters(trimmed))
    throw new SourceError('InvalidUrl', 'the repository URL contains control characters')
  if (isAbsolute(trimmed)) return { type: 'local', path: resolve(trimmed) }
  if (/^file:/i.test(trimmed)) return { type: 'local', path: pathOfFileUrl(trimmed) }
  if (/^https?:\/\//i.test(trimmed)) return parseHttp(trimmed)
  if (/^(ssh|git\+ssh):\/\//i.test(trimmed)) return parseSsh(trimmed.replace(/^git\+/i, ''))
  if (!trimmed.includes('://')) {
    const scp = scpLike.exec(trimmed)
    if (scp !== null) {
      const [, user = '', host = '', path = ''] = scp
      return parseSsh(`ssh://${user}${host}/${path.replace(/^\/+/, '')}`)
    }
  }
  throw new SourceError(
    'InvalidUrl',
    `${JSON.stringify(withoutCredentials(trimmed))} is not a repository URL: use https://, ssh://, user@host:path or an absolute path`,
  )
}

function parseHttp(text: string): RepoAddress {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new SourceError('InvalidUrl', `${JSON.stringify(withoutCredentials(text))} is not a valid URL`)
  }
  const username = decode(url.username)
  const password = decode(url.password)
  const credentials = username === '' && password === '' ? undefined : { username, password }
  url.username = ''
  url.password = ''
  url.hash = ''
  return { type: 'http', url: url.href.replace(/\/+$/, ''), credentials }
}

/** Nothing in it can be taken for an option of ssh or git. */
function parseSsh(text: string): RepoAddress {
  const match =
    /^ssh:\/\/(?:([A-Za-z0-9_][\w.-]*)(?::[^@/]*)?@)?([A-Za-z0-9][A-Za-z0-9.-]*)(:\d{1,5})?(\/[^\s?#]+)$/i.exec(text)
  if (match === null)
    throw new SourceError(
      'InvalidUrl',
      `${JSON.stringify(withoutCredentials(text))} is not a valid ssh URL: expected ssh://user@host/path or user@host:path`,
    )
  const [, user, host = '', port = '', path = ''] = match
  const address = `${host.toLowerCase()}${port === ':22' ? '' : port}${path.replace(/\/+$/, '')}`
  return { type: 'ssh', url: `ssh://${user === undefined ? '' : `${user}@`}${address}` }
}

function pathOfFileUrl(text: string): string {
  try {
    return resolve(fileURLToPath(text))
  } catch {
    throw new SourceError('InvalidUrl', `${JSON.stringify(text)} is not a valid file URL`)
  }
}

/** Why a URL names no repository that can be read from here, whatever is behind it; undefined when it may. */
export function urlFault(text: string): string | undefined {
  try {
    parseRepoUrl(text)
    return undefined
  } catch (error) {
    if (error instanceof SourceError) return error.message
    throw error
  }
}

/** The URL as it may be shown: without user, password and token. */
export function withoutCredentials(text: string): string {
  return text.trim().replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1')
}

/** The same for two URLs that Argo CD takes for one repository. */
export function looseKey(text: string): string {
  let address: RepoAddress
  try {
    address = parseRepoUrl(text)
  } catch {
    return withoutCredentials(text).toLowerCase()
  }
  if (address.type === 'local') return `file:${withoutGitSuffix(address.path)}`
  const rest = withoutCredentials(address.url).replace(/^[a-z+]+:\/\//i, '')
  const slash = rest.indexOf('/')
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  const path = slash < 0 ? '' : rest.slice(slash)
  return withoutGitSuffix(`${authority.replace(/:\d*$/, '')}${path.replace(/\/{2,}/g, '/')}`.toLowerCase())
}

/** Whether two URLs mean the same repository. */
export const isSameRepository = (a: string, b: string): boolean => looseKey(a) === looseKey(b)

/** Names the mirror of an http remote: equal only for the same scheme, host, port and path. */
export function exactKey(address: RepoAddress): string {
  return address.type === 'local' ? `file:${address.path}` : withoutGitSuffix(withoutCredentials(address.url))
}

const withoutGitSuffix = (text: string): string => text.replace(/\/+$/, '').replace(/\.git$/i, '')

const hasControlCharacters = (text: string): boolean =>
  [...text].some((character) => character < ' ' || character === '\u007f')

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
