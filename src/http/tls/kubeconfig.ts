// The kubeconfig by which kubectl, helm and our own commands find and enter the cluster, and the token in it. Tokens
// stand in a file of Kubernetes' static token format (`token,user,uid,"group,group"`), to which people may add lines.

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { TokenUser } from '../kube/authenticate.ts'
import { toYaml } from '../kube/yaml.ts'
import { writePrivately } from './private-file.ts'

export interface KubeconfigParts {
  readonly server: string
  readonly authorityPem: string
  readonly token: string
  /** Where our own commands find the dashboard, if there is one: an extension that kubectl ignores. */
  readonly dashboard?: string
}

const adminUser = 'kubernetes-admin'
const extensionName = 'homeostat'

/** Only its owner may read it (mode 0600). */
export const writeKubeconfig = (path: string, parts: KubeconfigParts): Promise<void> =>
  writePrivately(path, kubeconfigText(parts))

/** Whether a text is a kubeconfig that was written here, and may therefore be written anew. */
export function isOwnKubeconfig(text: string): boolean {
  try {
    const config = parse(text) as { readonly clusters?: readonly { readonly cluster?: Extended }[] } | null
    const clusters = config?.clusters ?? []
    return (
      clusters.length === 1 && clusters[0]?.cluster?.extensions?.some(({ name }) => name === extensionName) === true
    )
  } catch {
    return false
  }
}

interface Extended {
  readonly extensions?: readonly { readonly name?: string }[]
}

export function kubeconfigText({ server, authorityPem, token, dashboard }: KubeconfigParts): string {
  const authority = Buffer.from(authorityPem).toString('base64')
  const name = entryName(server)
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    preferences: {},
    clusters: [
      {
        name,
        cluster: {
          server,
          'certificate-authority-data': authority,
          extensions: [{ name: extensionName, extension: dashboard === undefined ? {} : { dashboard } }],
        },
      },
    ],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
  })
}

const usualPort = '7443'

/** Of two daemons on one machine another, so that their files can stand side by side in KUBECONFIG. */
function entryName(server: string): string {
  const { port } = new URL(server)
  return port === usualPort ? 'homeostat' : `homeostat-${port}`
}

/** The tokens of a data directory; on the first start one for the administrator is made. */
export async function staticTokens(dataDir: string): Promise<readonly TokenUser[]> {
  const path = join(dataDir, 'tokens.csv')
  try {
    return parseTokens(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const token = randomBytes(32).toString('base64url')
    await writePrivately(path, `${token},${adminUser},${adminUser},"system:masters"\n`)
    return [{ token, user: adminUser, groups: ['system:masters'] }]
  }
}

/** What is wrong with the file of tokens, which people may edit. */
export class TokensError extends Error {
  override readonly name = 'TokensError'
}

export function parseTokens(text: string): readonly TokenUser[] {
  return text.split('\n').flatMap((line) => {
    const trimmed = line.trim()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const match = /^([^,"]+),([^,"]+),([^,"]*)(?:,(?:"([^"]*)"|([^"]*)))?$/.exec(trimmed)
    if (match === null) throw new TokensError('tokens.csv: each line must read token,user,uid,"group,group"')
    const [, token = '', user = '', , quoted, plain] = match
    const groups = (quoted ?? plain ?? '').split(',').map((group) => group.trim())
    return [{ token, user, groups: groups.filter((group) => group !== '') }]
  })
}

/** The token that goes into the kubeconfig: the first one of the administrators. */
export function adminToken(tokens: readonly TokenUser[]): string {
  const found = tokens.find(({ groups }) => groups.includes('system:masters'))
  if (found === undefined) throw new TokensError('tokens.csv has no user in the group system:masters')
  return found.token
}
