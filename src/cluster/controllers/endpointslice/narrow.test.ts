import { describe, expect, it } from 'vitest'
import type { EndpointSlice, Node, Pod, Service } from '#kinds'
import { simulatedWorld } from '#world'
import { type Decision, decideSlices } from './decide.ts'

const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'wide', namespace: 'default', uid: 's' },
  spec: {
    clusterIP: '10.96.0.1',
    ipFamilies: ['IPv4'],
    selector: { app: 'wide' },
    ports: [{ port: 80, targetPort: 'http', protocol: 'TCP' }],
  },
}
const nodes: Readonly<Record<string, Node>> = {
  n1: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, spec: {} },
}
const portsOf = (containerPort: number) => [
  { name: 'app', ports: [{ name: 'http', containerPort, protocol: 'TCP' as const }] },
]
const containers = [portsOf(8080), portsOf(8080), portsOf(9090)]

const pod = (i: number, ready: boolean, more: { readonly phase?: 'Failed'; readonly node?: string } = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `wide-${i}`, namespace: 'default', uid: `u${i}`, labels: { app: 'wide' } },
  spec: { nodeName: more.node ?? 'n1', containers: containers[i % containers.length] ?? [] },
  status: {
    phase: more.phase ?? 'Running',
    podIP: `10.0.${i >> 8}.${i & 255}`,
    conditions: [
      { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: `2026-01-01T00:00:${i % 60}Z` },
    ],
  },
})

/** The slices after some of a decision was written. */
function written(slices: readonly EndpointSlice[], decision: Decision, isLost: () => boolean, stamp: number) {
  const updates = new Map(decision.update.filter(() => !isLost()).map((slice) => [slice.metadata.name, slice]))
  const gone = new Set(decision.remove.filter(() => !isLost()).map(({ metadata }) => metadata.name))
  const kept = slices
    .filter(({ metadata }) => !gone.has(metadata.name))
    .map((slice) => updates.get(slice.metadata.name) ?? slice)
  const made = decision.create
    .filter(() => !isLost())
    .map((slice, i) => ({ ...slice, metadata: { ...slice.metadata, name: `wide-${stamp}-${i}` } }))
  return [...kept, ...made]
}

const byName = (a: EndpointSlice, b: EndpointSlice): number =>
  (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1

const inOrder = ({ create, update, remove, skipped }: Decision) => ({
  create,
  update: update.toSorted(byName),
  remove: remove.toSorted(byName),
  skipped,
})

describe('looking only at what may have changed', () => {
  it.each([1, 2, 3])('decides the same as looking at everything, whatever happens (seed %i)', (seed) => {
    const random = simulatedWorld(seed).random
    let pods: readonly Pod[] = Array.from({ length: 350 }, (_, i) => pod(i, true))
    let slices: readonly EndpointSlice[] = []
    let next = pods.length
    let small = 0
    for (let step = 0; step < 300; step += 1) {
      const observed = { service, pods, slices, nodeOf: (name: string) => nodes[name] }
      const decision = decideSlices(observed)
      // The same Service as another object: nothing is remembered of it.
      expect(inOrder(decision)).toEqual(inOrder(decideSlices({ ...observed, service: { ...service } })))
      if (decision.create.length + decision.update.length === 0) small += 1
      slices = written(slices, decision, () => random.next() < 0.1, step)
      const at = random.int(pods.length)
      const chance = random.next()
      if (chance < 0.4)
        pods = pods.map((one, i) => (i === at ? pod(Number(one.metadata.uid?.slice(1)), random.next() < 0.5) : one))
      else if (chance < 0.5) pods = pods.filter((_, i) => i !== at)
      else if (chance < 0.65)
        pods = [...pods, ...Array.from({ length: random.int(3) }, () => pod(next++, random.next() < 0.7))]
      else if (chance < 0.7) pods = [...pods, pod(next++, true, { node: 'unknown' })]
      else if (chance < 0.75)
        pods = pods.map((one, i) =>
          i === at ? pod(Number(one.metadata.uid?.slice(1)), false, { phase: 'Failed' }) : one,
        )
      else if (chance < 0.8) slices = slices.filter(() => random.next() > 0.1)
      else if (chance < 0.83)
        slices = slices.map((slice, i) => (i === 0 ? { ...slice, endpoints: (slice.endpoints ?? []).slice(1) } : slice))
    }
    expect(small).toBeGreaterThan(20)
  })
})
