// Loops and caches as metrics: the work queue names of controller-runtime and client-go, taken over from the runtime's own
// figures when somebody asks.

import { Gauge, type Registry } from 'prom-client'
import type { LoopFigures, RuntimeFigures } from '#reconcile'

interface LoopMetric {
  readonly name: string
  readonly help: string
  readonly value: (loop: LoopFigures) => number
}

const loopMetrics: readonly LoopMetric[] = [
  { name: 'workqueue_depth', help: 'Keys that wait for a worker.', value: (loop) => loop.queueDepth },
  { name: 'controller_runtime_active_workers', help: 'Keys in work.', value: (loop) => loop.working.length },
  { name: 'controller_runtime_max_concurrent_reconciles', help: 'Workers.', value: (loop) => loop.workers },
  { name: 'controller_runtime_reconcile_total', help: 'Finished reconciles.', value: (loop) => loop.reconciles },
  { name: 'controller_runtime_reconcile_errors_total', help: 'Failed reconciles.', value: (loop) => loop.errors },
  {
    name: 'controller_runtime_reconcile_time_seconds_sum',
    help: 'World time spent in reconciles.',
    value: (loop) => loop.totalMs / 1000,
  },
  {
    name: 'homeostat_loop_backoff_keys',
    help: 'Keys that back off after a failure.',
    value: (loop) => loop.backoff.length,
  },
  { name: 'homeostat_loop_held_keys', help: 'Keys held until the cache shows own writes.', value: (loop) => loop.held },
  { name: 'homeostat_loop_paused', help: '1 while the loop is paused.', value: (loop) => Number(loop.paused) },
]

/** Registers the gauges; the answer brings them up to date. */
export function loopGauges(registry: Registry, figures: () => RuntimeFigures): () => void {
  const gauges = loopMetrics.map(({ name, help, value }) => ({
    value,
    // Kubernetes' own queue metrics say `name`, controller-runtime's say `controller`.
    gauge: new Gauge({ name, help, labelNames: [labelOf(name)], registers: [registry] }),
    label: labelOf(name),
  }))
  const objects = new Gauge({
    name: 'homeostat_cache_objects',
    help: 'Objects in the shared cache, by kind.',
    labelNames: ['group', 'kind'],
    registers: [registry],
  })
  return () => {
    const { loops, caches } = figures()
    for (const { gauge, label, value } of gauges)
      for (const loop of loops) gauge.set({ [label]: loop.name }, value(loop))
    for (const { kind, objects: count } of caches) objects.set({ group: kind.group, kind: kind.kind }, count)
  }
}

const labelOf = (metric: string): string => (metric.startsWith('workqueue_') ? 'name' : 'controller')
