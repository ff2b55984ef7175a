// The daemon's doors: the Kubernetes API with its certificates, tokens and kubeconfig, and the dashboard. Says in one line
// why a door cannot be opened.

import { hostname } from 'node:os'
import { type Audit, audited } from '#apiserver'
import { createClient } from '#client'
import type { Gitops } from '#gitops'
import {
  acknowledgeDurable,
  adminToken,
  clusterNames,
  createAuthenticator,
  createKubeDoor,
  createMetrics,
  type Dashboard,
  type KubeServer,
  type Metrics,
  type ServingCredentials,
  serveDashboard,
  serveKube,
  servingCredentials,
  staticTokens,
  type TokenUser,
  writeKubeconfig,
} from '#http'
import { administrator, type Machine } from '#machine'
import type { World } from '#world'
import { announceAuthority } from './cluster-authority.ts'
import type { DataDirectory } from './data-directory.ts'
import { dashboardAssets, programVersion } from './installation.ts'
import { type DaemonAddresses, DaemonError, type DaemonOptions } from './options.ts'

export interface DoorParts {
  readonly options: DaemonOptions
  readonly directory: DataDirectory
  readonly machine: Machine
  readonly world: World
  readonly gitops: Gitops
  /** Absent: nothing is audited. */
  readonly audit?: Audit
}

export interface Doors {
  readonly addresses: DaemonAddresses
  close(): Promise<void>
}

interface Access {
  readonly credentials: ServingCredentials
  readonly tokens: readonly TokenUser[]
  /** DNS names beside the cluster's own. */
  readonly names: readonly string[]
  readonly metrics: Metrics
}

const renewalMs = 24 * 60 * 60 * 1000
const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::', ''])
const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost'])

export async function openDoors(parts: DoorParts): Promise<Doors> {
  const { options, directory } = parts
  const access = await prepareAccess(parts)
  const { credentials, tokens, names } = access
  const kube = await openKube(parts, access)
  let dashboard: Dashboard
  try {
    dashboard = await openDashboard(parts, access)
  } catch (error) {
    await kube.close()
    throw error
  }
  const closing = new AbortController()
  access.metrics.follow(closing.signal)
  const renewal = setInterval(() => void renew(kube, parts, names), renewalMs).unref()
  const host = urlHost(anyAddress.has(options.listen) ? '127.0.0.1' : options.listen)
  const api = `https://${host}:${kube.port}`
  const page = `http://${host}:${dashboard.port}`
  const authorityPem = credentials.authority.certificatePem
  await announceAuthority(parts.machine.client(), authorityPem)
  const entry = { server: api, authorityPem, token: adminToken(tokens), dashboard: page }
  const kubeconfig = await writeKubeconfig(directory.path, entry)
  return {
    addresses: { api, dashboard: page, signIn: `${page}${dashboard.newSignInPath()}`, kubeconfig },
    async close() {
      clearInterval(renewal)
      closing.abort()
      await Promise.all([kube.close(), dashboard.close()])
    },
  }
}

async function prepareAccess({ options: { listen }, directory, machine, world }: DoorParts): Promise<Access> {
  const extra = loopback.has(listen) ? [] : [hostname(), ...(anyAddress.has(listen) ? [] : [listen])]
  const names = extra.map((name) => name.toLowerCase())
  return {
    credentials: await servingCredentials(directory.path, names),
    tokens: await staticTokens(directory.path),
    names,
    metrics: createMetrics({
      client: machine.client(),
      world,
      figures: () => machine.runtime.figures(),
      nodes: () => machine.residents.kubelet?.nodeFigures() ?? [],
      store: machine.store,
      version: programVersion,
    }),
  }
}

function openKube({ options, machine, world, audit }: DoorParts, access: Access): Promise<KubeServer> {
  const door = createKubeDoor({
    handler: acknowledgeDurable(machine.handler, machine.store),
    authenticate: createAuthenticator({
      tokens: () => access.tokens,
      verifyToken: (token) => machine.verifyToken(token),
    }),
    decide: machine.decide,
    ...(audit === undefined ? {} : { audit }),
    log: world.log.with({ door: 'kubernetes' }),
    names: [...clusterNames, ...access.names],
    onRequest: access.metrics.onRequest,
    texts: { '/metrics': () => access.metrics.render() },
  })
  return open('--api-port', options.apiPort, options.listen, (place) => serveKube(door, access.credentials, place))
}

function openDashboard({ options, machine, world, gitops, audit }: DoorParts, access: Access): Promise<Dashboard> {
  const recorded = audit === undefined ? machine.handler : audited(audit, world, machine.decide)(machine.handler)
  const handler = acknowledgeDurable(recorded, machine.store)
  return open('--port', options.port, options.listen, (place) =>
    serveDashboard({
      ...place,
      world,
      gitops,
      client: createClient(handler, { ...administrator, userAgent: `argocd-server/${programVersion}` }),
      cacheFor: (reader, kinds) => machine.runtime.cacheFor(reader, kinds),
      figures: () => machine.runtime.figures(),
      ready: () => machine.runtime.synced(),
      // Asked each time: a restart of the machine brings another scheduler.
      placements: {
        schedulers: machine.residents.scheduler.names,
        of: (podKey) => machine.residents.scheduler.lastAttempt(podKey),
      },
      version: programVersion,
      names: ['localhost', ...access.names],
      tokens: () => access.tokens,
      assets: dashboardAssets,
      metrics: () => access.metrics.render(),
    }),
  )
}

const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host)

async function renew(kube: KubeServer, { directory, world }: DoorParts, names: readonly string[]): Promise<void> {
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
