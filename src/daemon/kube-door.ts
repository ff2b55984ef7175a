// The door of the Kubernetes API with what it needs in the data directory: certificates, which are renewed in time, tokens,
// and the kubeconfig by which clients enter.

import { hostname } from 'node:os'
import type { Audit } from '#apiserver'
import {
  acknowledgeDurable,
  adminToken,
  clusterNames,
  createAuthenticator,
  createKubeDoor,
  type KubeDoorOptions,
  type KubeServer,
  type ServingCredentials,
  serveKube,
  servingCredentials,
  staticTokens,
  type TokenUser,
  tokenUser,
  writeKubeconfig,
} from '#http/kube'
import type { Machine } from '#machine'
import type { World } from '#world'
import { announceAuthority } from './cluster-authority.ts'
import type { DataDirectory } from './data-directory.ts'
import { listening } from './listening.ts'

export interface KubeDoorParts {
  readonly options: { readonly listen: string; readonly apiPort: number }
  readonly directory: DataDirectory
  readonly machine: Machine
  readonly world: World
  /** Absent: nothing is audited. */
  readonly audit?: Audit
}

export interface Access {
  readonly credentials: ServingCredentials
  readonly tokens: readonly TokenUser[]
  /** DNS names beside the cluster's own. */
  readonly names: readonly string[]
}

export interface OpenKubeDoor {
  /** `https://127.0.0.1:7443` */
  readonly url: string
  /** Of the administrator. */
  readonly token: string
  /** Writes the kubeconfig to `path`; `dashboard` is where our own commands find that. */
  writeKubeconfig(path: string, dashboard?: string): Promise<void>
  close(): Promise<void>
}

/** Whose a token of the data directory is. */
export const accessTokens =
  ({ tokens }: Access) =>
  (token: string): TokenUser | undefined =>
    tokenUser(token, tokens)

const renewalMs = 24 * 60 * 60 * 1000
const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

export async function prepareAccess({
  options: { listen },
  directory,
}: Pick<KubeDoorParts, 'options' | 'directory'>): Promise<Access> {
  const extra = loopback.has(listen) ? [] : [hostname(), ...(anyAddress.has(listen) ? [] : [listen])]
  const names = extra.map((name) => name.toLowerCase())
  const credentials = await servingCredentials(directory.path, names)
  return { credentials, tokens: await staticTokens(directory.path), names }
}

export async function openKubeDoor(
  parts: KubeDoorParts,
  access: Access,
  extras: Pick<KubeDoorOptions, 'onRequest' | 'texts'> = {},
): Promise<OpenKubeDoor> {
  const { options, directory, machine, world, audit } = parts
  const { credentials, tokens, names } = access
  const token = adminToken(tokens)
  const door = createKubeDoor({
    handler: acknowledgeDurable(machine.handler, machine.store),
    authenticate: createAuthenticator({
      tokens: () => tokens,
      verifyToken: (text) => machine.verifyToken(text),
    }),
    decide: machine.decide,
    ...(audit === undefined ? {} : { audit }),
    log: world.log.with({ door: 'kubernetes' }),
    names: [...clusterNames, ...names],
    ...extras,
  })
  const kube = await listening('--api-port', { port: options.apiPort, host: options.listen }, (place) =>
    serveKube(door, credentials, place),
  )
  const renew = async (): Promise<void> => renewCredentials(kube, { path: directory.path, world, names })
  const renewal = setInterval(() => void renew(), renewalMs).unref()
  const authorityPem = credentials.authority.certificatePem
  await announceAuthority(machine.client(), authorityPem)
  const url = `https://${urlHost(options.listen)}:${kube.port}`
  return {
    url,
    token,
    async writeKubeconfig(path, dashboard) {
      const entry = { server: url, authorityPem, token, ...(dashboard === undefined ? {} : { dashboard }) }
      await writeKubeconfig(path, entry)
    },
    async close() {
      clearInterval(renewal)
      await kube.close()
    },
  }
}

/** The host by which this machine reaches what listens on an address. */
export function urlHost(listen: string): string {
  const host = anyAddress.has(listen) ? '127.0.0.1' : listen
  return host.includes(':') ? `[${host}]` : host
}

async function renewCredentials(
  kube: KubeServer,
  { path, world, names }: { readonly path: string; readonly world: World; readonly names: readonly string[] },
): Promise<void> {
  try {
    kube.renew(await servingCredentials(path, names))
  } catch (error) {
    world.log.error('the serving certificate could not be renewed', { error: String(error) })
  }
}
