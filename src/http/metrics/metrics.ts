// /metrics: requests to the API server, loops, caches, store and nodes, under the names that Kubernetes uses for them where
// it has one. Figures are read when somebody asks; only requests are counted as they come.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { NodeFigures } from '#kubelet'
import type { RuntimeFigures } from '#reconcile'
import type { Store } from '#store'
import type { RequestRecord } from '../kube/door-options.ts'
import { loopGauges } from './loops.ts'
import { nodeGauges } from './nodes.ts'

/** Figures that somebody else knows. */
export interface MoreFigures {
  /** Brings them up to date. */
  update(): Promise<void>
  follow(signal: AbortSignal): void
}

export interface MetricsSources {
  figures(): RuntimeFigures
  readonly store: Pick<Store, 'revision' | 'buckets' | 'count'>
  readonly version: string
  /** Absent where no kubelets are simulated. */
  readonly nodes?: () => readonly NodeFigures[]
  /** Registers what is told beside them, such as figures of applications. */
  readonly more?: (registry: Registry) => MoreFigures
}

export interface Metrics {
  /** Counts one finished request of the Kubernetes door. */
  readonly onRequest: (record: RequestRecord) => void
  render(): Promise<{ readonly text: string; readonly contentType: string }>
  /** Begins to count what can only be counted as it happens; until the signal aborts. */
  follow(signal: AbortSignal): void
}

const requestLabels = ['verb', 'group', 'version', 'resource', 'subresource', 'scope'] as const
const seconds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60]

export function createMetrics(sources: MetricsSources): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const onRequest = requestMetrics(registry)
  storeMetrics(registry, sources.store)
  const updateLoops = loopGauges(registry, sources.figures)
  const updateNodes = nodeGauges(registry, sources.nodes ?? (() => []))
  const more = sources.more?.(registry)
  new Gauge({
    name: 'homeostat_build_info',
    help: 'Version of this program.',
    labelNames: ['version'],
    registers: [registry],
  })
    .labels(sources.version)
    .set(1)
  return {
    onRequest,
    follow: (signal) => more?.follow(signal),
    async render() {
      updateLoops()
      updateNodes()
      await more?.update()
      return { text: await registry.metrics(), contentType: registry.contentType }
    },
  }
}

/** Verbs that a kube-apiserver counts under their method. */
const methodOf: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' }

function requestMetrics(registry: Registry): (record: RequestRecord) => void {
  const total = new Counter({
    name: 'apiserver_request_total',
    help: 'Requests by verb, resource and code.',
    labelNames: [...requestLabels, 'code'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'apiserver_request_duration_seconds',
    help: 'Time to answer requests other than watches and logs.',
    labelNames: [...requestLabels],
    buckets: seconds,
    registers: [registry],
  })
  return ({ verb, target, code, seconds: took }) => {
    const labels = {
      verb: methodOf[verb] ?? verb.toUpperCase(),
      group: target?.resource?.group ?? '',
      version: target?.resource?.version ?? '',
      resource: target?.resource?.resource ?? '',
      subresource: target?.subresource ?? (target?.resource === undefined ? (target?.path?.split('/')[1] ?? '') : ''),
      scope: scopeOf(target),
    }
    total.inc({ ...labels, code })
    if (verb !== 'watch' && target?.subresource !== 'log') duration.observe(labels, took)
  }
}

function scopeOf(target: RequestRecord['target']): string {
  if (target?.resource === undefined) return ''
  if (target.name !== undefined) return 'resource'
  return target.namespace === undefined ? 'cluster' : 'namespace'
}

function storeMetrics(registry: Registry, store: MetricsSources['store']): void {
  new Gauge({
    name: 'apiserver_storage_objects',
    help: 'Objects that are stored, by resource.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset()
      for (const bucket of store.buckets()) this.set({ resource: bucket }, store.count(bucket))
    },
  })
  new Gauge({
    name: 'homeostat_store_revision',
    help: 'Revision of the last write.',
    registers: [registry],
    collect() {
      this.set(store.revision)
    },
  })
}
