// Applications as metrics, under Argo CD's names and labels.

import { Counter, Gauge, type Registry } from 'prom-client'
import type { WatchEvent } from '#api'
import type { Client } from '#client'
import { withoutCredentials } from '#gitops'
import { Application } from '#kinds'
import { parseTime } from '#objects'
import type { World } from '#world'
import { followKind } from '../follow-kind.ts'
import type { MoreFigures } from './metrics.ts'

const labelNames = [
  'namespace',
  'name',
  'project',
  'repo',
  'dest_server',
  'dest_namespace',
  'sync_status',
  'health_status',
  'operation',
  'autosync_enabled',
] as const

/** What `createMetrics` takes as more figures: those of the Applications that the client finds. */
export const applicationMetrics =
  (client: Client, world: World) =>
  (registry: Registry): MoreFigures => {
    const update = applicationGauges(registry, async () => (await client.list(Application)).items)
    const onEvent = syncCounter(registry, world.clock.now())
    return { update, follow: (signal) => void followKind({ client, world, kind: Application, signal, onEvent }) }
  }

/** Registers the gauges; the answer brings them up to date. */
function applicationGauges(
  registry: Registry,
  applications: () => Promise<readonly Application[]>,
): () => Promise<void> {
  const info = new Gauge({
    name: 'argocd_app_info',
    help: 'Information about application.',
    labelNames: [...labelNames],
    registers: [registry],
  })
  const conditions = new Gauge({
    name: 'argocd_app_condition',
    help: 'Report application conditions.',
    labelNames: ['namespace', 'name', 'condition'],
    registers: [registry],
  })
  return async () => {
    for (const gauge of [info, conditions]) gauge.reset()
    for (const application of await applications()) {
      const labels = appLabels(application)
      info.set(labels, 1)
      const { namespace, name } = labels
      for (const { type } of application.status?.conditions ?? []) conditions.inc({ namespace, name, condition: type })
    }
  }
}

function appLabels({ metadata, spec, status, operation }: Application) {
  const { destination, source, sources, syncPolicy } = spec
  const automated = syncPolicy?.automated
  const running = operation !== undefined || status?.operationState?.phase === 'Running'
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    project: spec.project === '' ? 'default' : spec.project,
    repo: withoutCredentials((source ?? sources?.[0])?.repoURL ?? ''),
    dest_server: destination.server ?? destination.name ?? '',
    dest_namespace: destination.namespace ?? '',
    sync_status: status?.sync?.status ?? 'Unknown',
    health_status: status?.health?.status ?? 'Unknown',
    operation: metadata.deletionTimestamp !== undefined ? 'delete' : running ? 'sync' : '',
    autosync_enabled: String(automated !== undefined && automated.enabled !== false),
  }
}

/**
 * Counts finished syncs from the changes of Applications: hand it every event. Of the syncs that are found finished,
 * those count that ended after `since` (world time, in milliseconds).
 */
function syncCounter(registry: Registry, since: number): (event: WatchEvent<Application>, isInitial: boolean) => void {
  const total = new Counter({
    name: 'argocd_app_sync_total',
    help: 'Number of application syncs.',
    labelNames: ['namespace', 'name', 'project', 'dest_server', 'phase', 'dry_run'],
    registers: [registry],
  })
  const finished = new Map<string, string | undefined>()
  return ({ type, object }, isInitial) => {
    const { namespace, name, project, dest_server } = appLabels(object)
    const key = `${namespace}/${name}`
    const state = object.status?.operationState
    const before = finished.get(key)
    if (type === 'DELETED') {
      finished.delete(key)
      return
    }
    finished.set(key, state?.finishedAt)
    if (state?.finishedAt === undefined || state.finishedAt === before || state.phase === 'Running') return
    if (isInitial && (parseTime(state.finishedAt) ?? 0) < Math.floor(since / 1000) * 1000) return
    const dry_run = String(state.operation.sync?.dryRun === true)
    total.inc({ namespace, name, project, dest_server, phase: state.phase, dry_run })
  }
}
