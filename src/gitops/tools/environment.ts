// The environment of a tool: an empty home, and a network only where it is allowed.

import { join } from 'node:path'
import type { Workspace } from './workspace.ts'

/** Nobody listens there: what wants the network fails at once, and says so. */
const nowhere = 'http://127.0.0.1:9'

/** What a tool says that has tried it, with what to do. */
export const withoutNowhere = (message: string): string =>
  message.replaceAll(
    /(?:proxyconnect tcp: )?dial tcp 127\.0\.0\.1:9: connect: connection refused/g,
    'nothing is fetched while manifests are rendered: copy it into the repository, or start with --render-network',
  )

/** `user` is the environment of whoever started the process: of it only proxies, certificates and PATH are handed on, with the network. */
export function environmentOf(
  { home, bin }: Workspace,
  user: Readonly<Record<string, string | undefined>>,
  network: boolean,
): Readonly<Record<string, string>> {
  const own = {
    HOME: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    KUBECONFIG: join(home, 'none'),
  }
  if (!network)
    return {
      ...own,
      PATH: bin,
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: '',
      http_proxy: nowhere,
      https_proxy: nowhere,
    }
  const passed: Record<string, string> = {}
  for (const name of [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'SSL_CERT_FILE',
  ]) {
    const value = user[name]
    if (value !== undefined) passed[name] = value
  }
  // git, for remote bases, is found on the user's PATH.
  return {
    ...own,
    ...passed,
    PATH: [bin, user['PATH'] ?? ''].join(process.platform === 'win32' ? ';' : ':'),
    GIT_TERMINAL_PROMPT: '0',
  }
}
