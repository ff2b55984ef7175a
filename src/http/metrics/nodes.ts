// What the kubelets of the simulated nodes have freed and evicted, under the kubelet's own names.

import { Gauge, type Registry } from 'prom-client'
import type { NodeFigures } from '#kubelet'

/** Registers the gauges; the answer brings them up to date. */
export function nodeGauges(registry: Registry, figures: () => readonly NodeFigures[]): () => void {
  const evictions = new Gauge({
    name: 'kubelet_evictions',
    help: 'Pods that were evicted, by the signal that ran short.',
    labelNames: ['node', 'eviction_signal'],
    registers: [registry],
  })
  const images = new Gauge({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Unused images that were removed.',
    labelNames: ['node'],
    registers: [registry],
  })
  const bytes = new Gauge({
    name: 'homeostat_kubelet_image_bytes_freed_total',
    help: 'Bytes that removed images have freed.',
    labelNames: ['node'],
    registers: [registry],
  })
  const logs = new Gauge({
    name: 'kubelet_container_log_filesystem_used_bytes',
    help: 'Logs of the running containers, after rotation.',
    labelNames: ['node'],
    registers: [registry],
  })
  const rotations = new Gauge({
    name: 'homeostat_kubelet_log_rotations',
    help: 'How often logs of the running containers were rotated.',
    labelNames: ['node'],
    registers: [registry],
  })
  return () => {
    for (const { node, evictions: bySignal, imagesFreed, bytesFreed, logBytes, logRotations } of figures()) {
      logs.set({ node }, logBytes)
      rotations.set({ node }, logRotations)
      images.set({ node }, imagesFreed)
      bytes.set({ node }, bytesFreed)
      for (const [signal, count] of bySignal) evictions.set({ node, eviction_signal: signal }, count)
    }
  }
}
