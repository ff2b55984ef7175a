// The daemon's doors: the Kubernetes API with its certificates, tokens and kubeconfig. Says in one line why a door cannot
// be opened.

import { hostname } from 'node:os'
import {
  acknowledgeDurable,
  adminToken,
  authorizeByGroup,
  clusterNames,
  createAuthenticator,
  createKubeDoor,
  type KubeServer,
  serveKube,
  servingCredentials,
  staticTokens,
  writeKubeconfig,
} from '#http'
import type { Machine } from '#machine'
import type { World } from '#world'
import type { DataDirectory } from './data-directory.ts'
import { type DaemonAddresses, DaemonError, type DaemonOptions } from './options.ts'

export interface DoorParts {
  readonly options: DaemonOptions
  readonly directory: DataDirectory
  readonly machine: Machine
  readonly world: World
}

export interface Doors {
  readonly addresses: DaemonAddresses
  close(): Promise<void>
}

const renewalMs = 24 * 60 * 60 * 1000
const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])

export async function openDoors({ options, directory, machine, world }: DoorParts): Promise<Doors> {
  const { listen } = options
  const loopback = listen === '127.0.0.1' || listen === '::1' || listen === 'localhost'
  const extraNames = loopback ? [] : [hostname(), ...(anyAddress.has(listen) ? [] : [listen])]
  const credentials = await servingCredentials(directory.path, extraNames)
  const tokens = await staticTokens(directory.path)
  const door = createKubeDoor({
    handler: acknowledgeDurable(machine.handler, machine.store),
    authenticate: createAuthenticator({ tokens: () => tokens }),
    authorize: authorizeByGroup,
    log: world.log.with({ door: 'kubernetes' }),
    names: [...clusterNames, ...extraNames].map((name) => name.toLowerCase()),
  })
  const kube = await open('--api-port', options.apiPort, listen, (place) => serveKube(door, credentials, place))
  const renewal = setInterval(() => void renew(kube, directory, extraNames, world), renewalMs).unref()
  const host = anyAddress.has(listen) ? '127.0.0.1' : listen
  const api = `https://${urlHost(host)}:${kube.port}`
  const dashboard = `http://${urlHost(host)}:${options.port}`
  const parts = {
    server: api,
    authorityPem: credentials.authority.certificatePem,
    token: adminToken(tokens),
    dashboard,
  }
  const kubeconfig = await writeKubeconfig(directory.path, parts)
  return {
    addresses: { api, dashboard, signIn: dashboard, kubeconfig },
    async close() {
      clearInterval(renewal)
      await kube.close()
    },
  }
}

const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

async function renew(
  kube: KubeServer,
  directory: DataDirectory,
  names: readonly string[],
  world: World,
): Promise<void> {
  try {
    kube.renew(await servingCredentials(directory.path, names))
  } catch (error) {
    world.log.error('the serving certificate could not be renewed', { error: String(error) })
  }
}

/** Opens a listening door; a port or address that cannot be had becomes one line. */
async function open<T>(
  option: string,
  port: number,
  host: string,
  listen: (place: { readonly host: string; readonly port: number }) => Promise<T>,
): Promise<T> {
  try {
    return await listen({ host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} of ${host} is in use; choose another one with ${option}`,
      EACCES: `port ${port} of ${host} needs more rights; choose another one with ${option}`,
      EADDRNOTAVAIL: `${host} is no address of this machine; choose another one with --listen`,
      ENOTFOUND: `${host} is no address of this machine; choose another one with --listen`,
    }
    throw new DaemonError(reasons[code ?? ''] ?? `cannot listen on ${host}, port ${port}: ${message}`, { cause: error })
  }
}
