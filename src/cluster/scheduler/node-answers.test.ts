// Answers that are kept say the same as answers that are asked for anew, whatever happens to nodes and pods.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Node, Pod, PodSpec } from '#kinds'
import type { Cache } from '#reconcile'
import { seededRandom } from '#world'
import { attempt } from './cycle.ts'
import { podFacts } from './pod-facts.ts'
import { Snapshot } from './snapshot.ts'
import { viewWith } from './view.ts'

const nothing = { get: () => undefined, list: () => [], by: () => [], ownedBy: () => [] } as unknown as Cache

const nodeOf = (i: number, state: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `n${i}`, labels: { disk: state % 2 === 0 ? 'ssd' : 'hdd' } },
  spec: {
    unschedulable: state === 3,
    taints:
      state === 4
        ? [{ key: 'k', effect: 'NoSchedule' }]
        : state === 5
          ? [{ key: 'k', effect: 'PreferNoSchedule' }]
          : [],
  },
  status: {
    allocatable: { cpu: state === 6 ? '1' : '4', memory: '8Gi', pods: '5' },
    images: state % 3 === 0 ? [{ names: ['app:1'], sizeBytes: 500_000_000 }] : [],
  },
})

const shapes: readonly Partial<PodSpec>[] = [
  {},
  { tolerations: [{ operator: 'Exists' }] },
  { nodeSelector: { disk: 'ssd' } },
  {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 10, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }] } },
        ],
      },
    },
  },
  { containers: [{ name: 'a', image: 'app:1', ports: [{ containerPort: 80, hostPort: 80 }] }] },
  { containers: [{ name: 'a', image: 'other:1', resources: { requests: { cpu: '2', memory: '1Gi' } } }] },
]

const podOf = (name: string, shape: number, nodeName?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'demo', uid: name },
  spec: {
    containers: [{ name: 'a', image: 'app:1', resources: { requests: { cpu: '500m', memory: '256Mi' } } }],
    ...shapes[shape],
    ...(nodeName === undefined ? {} : { nodeName }),
  },
})

const step = fc.record({
  what: fc.constantFrom('node', 'node', 'gone', 'pod', 'pod', 'pod', 'ended'),
  node: fc.nat(5),
  state: fc.nat(7),
  shape: fc.nat(shapes.length - 1),
  pod: fc.nat(9),
})

describe('answers that are kept', () => {
  it('are those that would be given now', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
        const snapshot = new Snapshot(nothing)
        for (let i = 0; i < 4; i += 1) snapshot.putNode(nodeOf(i, 0))
        for (const { what, node, state, shape, pod } of steps) {
          if (what === 'node') snapshot.putNode(nodeOf(node, state))
          else if (what === 'gone') snapshot.removeNode(`n${node}`)
          else snapshot.putPod(`demo/p${pod}`, what === 'pod' ? podOf(`p${pod}`, shape, `n${node}`) : undefined)
          const wanted = podFacts(podOf('wanted', shape))
          const [any] = snapshot.nodes
          if (any === undefined) continue
          const ask = (view: typeof snapshot | ReturnType<typeof viewWith>) => {
            const found = attempt(wanted, view, { random: seededRandom('x'), startAt: 0 })
            return found.type === 'found'
              ? { node: found.node.name, scores: found.scores(), refusals: [...found.refusals] }
              : { message: found.message, refusals: [...found.refusals] }
          }
          expect(ask(snapshot)).toEqual(ask(viewWith(snapshot, { node: any })))
        }
      }),
      { numRuns: 100 },
    )
  })
})
