// The daemon's doors: the Kubernetes API, with metrics and a kubeconfig that names the dashboard, and the dashboard.

import { join } from 'node:path'
import { audited } from '#apiserver'
import { createClient } from '#client'
import type { Gitops } from '#gitops'
import {
  acknowledgeDurable,
  applicationMetrics,
  createMetrics,
  type Dashboard,
  type Metrics,
  serveDashboard,
} from '#http'
import { administrator, type Machine } from '#machine'
import type { World } from '#world'
import { dashboardAssets, programVersion } from './installation.ts'
import { type Access, type KubeDoorParts, openKubeDoor, urlHost } from './kube-door.ts'
import { listening } from './listening.ts'
import type { DaemonAddresses, DaemonOptions } from './options.ts'

export interface DoorParts extends KubeDoorParts {
  readonly options: DaemonOptions
  readonly gitops: Gitops
  readonly access: Access
}

export interface Doors {
  readonly addresses: DaemonAddresses
  close(): Promise<void>
}

export async function openDoors(parts: DoorParts): Promise<Doors> {
  const { options, directory, access } = parts
  const metrics = metricsOf(parts)
  const texts = { '/metrics': () => metrics.render() }
  const kube = await openKubeDoor(parts, access, { onRequest: metrics.onRequest, texts })
  let dashboard: Dashboard
  try {
    dashboard = await openDashboard(parts, metrics)
  } catch (error) {
    await kube.close()
    throw error
  }
  const closing = new AbortController()
  metrics.follow(closing.signal)
  const page = `http://${urlHost(options.listen)}:${dashboard.port}`
  const kubeconfig = join(directory.path, 'kubeconfig')
  await kube.writeKubeconfig(kubeconfig, page)
  return {
    addresses: { api: kube.url, dashboard: page, signIn: `${page}${dashboard.newSignInPath()}`, kubeconfig },
    async close() {
      closing.abort()
      await Promise.all([kube.close(), dashboard.close()])
    },
  }
}

const metricsOf = ({ machine, world }: { readonly machine: Machine; readonly world: World }): Metrics =>
  createMetrics({
    figures: () => machine.runtime.figures(),
    nodes: () => machine.residents.kubelet?.nodeFigures() ?? [],
    store: machine.store,
    version: programVersion,
    more: applicationMetrics(machine.client(), world),
  })

function openDashboard(
  { options, machine, world, gitops, audit, access }: DoorParts,
  metrics: Metrics,
): Promise<Dashboard> {
  const recorded = audit === undefined ? machine.handler : audited(audit, world, machine.decide)(machine.handler)
  const handler = acknowledgeDurable(recorded, machine.store)
  return listening('--port', { port: options.port, host: options.listen }, (place) =>
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
      metrics: () => metrics.render(),
    }),
  )
}
