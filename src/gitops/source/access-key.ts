// What credentials are said to be for: a repository or registry, or all below a URL. Compared with scheme, host and port, so
// that nothing is shown to another server. Pure.

import { exactKey, parseRepoUrl } from './repo-url.ts'
import { SourceError } from './source-error.ts'

const maxUrlLength = 2048

/** The same for two URLs that the same credentials are for; undefined for what names nothing on a network. Registries are
 * written with `oci://` or without anything. */
export function accessKey(url: string): string | undefined {
  if (url.length > maxUrlLength) return undefined
  const registry = /^(?:oci:\/\/)?((?:[a-z0-9-]+\.)*[a-z0-9-]+(?::\d+)?(?:\/[^\s@]*)?)$/i.exec(url.trim())?.[1]
  // `ssh://git@host` and `git@host:` name no repository, but all of one host.
  const sshHost = /^(ssh:\/\/[^/\s]+|[\w.-]+@[\w.-]+:)\/?$/i.exec(url.trim())?.[1]
  if (sshHost !== undefined) return accessKey(`${sshHost}/all`)?.replace(/\/all$/, '')
  if (registry !== undefined) return `oci://${registry.toLowerCase().replace(/\/+$/, '')}`
  try {
    const address = parseRepoUrl(url)
    return address.type === 'local' ? undefined : exactKey(address).toLowerCase()
  } catch (error) {
    if (error instanceof SourceError) return undefined
    throw error
  }
}

export const isBelowAccessKey = (key: string, wanted: string): boolean =>
  wanted === key || wanted.startsWith(key.endsWith('/') ? key : `${key}/`)
