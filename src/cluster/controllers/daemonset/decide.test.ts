import { describe, expect, it } from 'vitest'
import type { DaemonSet, DaemonSetSpec, Node, Pod, Taint } from '#kinds'
import { decideDaemons } from './decide.ts'
import { podFor } from './placement.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

const set = (spec: Partial<DaemonSetSpec> = {}): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default', uid: 'd', generation: 1 },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [] } },
    ...spec,
  },
})

const node = (name: string, taints: readonly Taint[] = [], labels: Record<string, string> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
})

function pod(on: string, hash = 'new', ready = true): Pod {
  const made = podFor(set(), on, hash)
  return {
    ...made,
    metadata: {
      ...made.metadata,
      name: `agent-${on}-${hash}`,
      uid: `${on}${hash}`,
      creationTimestamp: hash === 'new' ? '2026-01-01T00:30:00Z' : '2026-01-01T00:00:00Z',
    },
    spec: { ...made.spec, nodeName: on },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:30:00Z' }],
    },
  }
}

const nodes = [node('a'), node('b'), node('c')]
const decide = (of: DaemonSet, pods: readonly Pod[], on = nodes) => {
  const { create, remove, status } = decideDaemons({ set: of, nodes: on, pods, hash: 'new', now })
  return { create, remove: remove.map((removal) => removal.pod.metadata.name), status }
}

describe('pods of a DaemonSet that stand in the way', () => {
  const surging = set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })
  const going = { ...pod('a'), metadata: { ...pod('a').metadata, deletionTimestamp: '2026-01-01T01:00:00Z' } }

  it('are waited for until they have gone, but with surge', () => {
    expect(decide(set(), [going], [node('a')]).create).toEqual([])
    expect(decide(surging, [going], [node('a')]).create).toEqual(['a'])
  })

  it('hold up the next one with surge too while a failed pod is given time, so that pods are not made without end', () => {
    const failed: Pod = { ...pod('a', 'new'), status: { phase: 'Failed' } }
    const observed = { set: surging, nodes: [node('a')], pods: [failed], hash: 'new', now }
    expect(decideDaemons(observed).create).toEqual(['a'])
    expect(decideDaemons({ ...observed, held: new Set([failed]) }).create).toEqual([])
  })

  it('are replaced by an update, although failed pods are given time', () => {
    const failed: Pod = { ...pod('a', 'old'), status: { phase: 'Failed' } }
    const observed = { set: set(), nodes: [node('a')], pods: [failed], hash: 'new', now, held: new Set([failed]) }
    expect(decideDaemons(observed).remove).toEqual([{ pod: failed, why: 'surplus' }])
    expect(decideDaemons({ ...observed, hash: 'old' }).remove).toEqual([])
  })
})

describe('a DaemonSet', () => {
  it('wants one pod on every node, pinned by its name', () => {
    expect(decide(set(), [pod('b')]).create).toEqual(['a', 'c'])
    const [term] =
      podFor(set(), 'a', 'new').spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
        ?.nodeSelectorTerms ?? []
    expect(term).toEqual({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] })
  })

  it.each<readonly [string, Node, boolean, boolean]>([
    ['a taint it does not know', node('a', [{ key: 'x', effect: 'NoSchedule' }]), false, true],
    ['a taint that evicts', node('a', [{ key: 'x', effect: 'NoExecute' }]), false, false],
    ['a node that is not ready', node('a', [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }]), true, true],
    ['a cordoned node', node('a', [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]), true, true],
  ])('%s', (_, of, starts, stays) => {
    expect(decide(set(), [], [of]).create.length === 1).toBe(starts)
    expect(decide(set(), [pod('a')], [of]).remove.length === 0).toBe(stays)
  })

  it('keeps to nodes with its labels', () => {
    const template = { metadata: { labels: { app: 'agent' } }, spec: { containers: [], nodeSelector: { disk: 'ssd' } } }
    const on = [node('a'), node('b', [], { disk: 'ssd' })]
    expect(decide(set({ template }), [pod('a')], on)).toMatchObject({ create: ['b'], remove: ['agent-a-new'] })
    expect(decide(set({ template }), [pod('a')], on).status).toMatchObject({
      desiredNumberScheduled: 1,
      currentNumberScheduled: 0,
      numberMisscheduled: 1,
    })
  })

  it('replaces old pods as far as they may be missing, broken ones at once', () => {
    const old = [pod('a', 'old'), pod('b', 'old'), pod('c', 'old')]
    expect(decide(set(), old).remove).toEqual(['agent-a-old'])
    expect(decide(set(), [pod('a', 'old', false), pod('b', 'old'), pod('c', 'old')]).remove).toEqual(['agent-a-old'])
    expect(decide(set(), [pod('a', 'new', false), pod('b', 'old'), pod('c', 'old')]).remove).toEqual([])
    expect(decide(set({ updateStrategy: { type: 'OnDelete' } }), old).remove).toEqual([])
  })

  it('with surge brings the new pod first', () => {
    const surging = set({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    })
    const old = [pod('a', 'old'), pod('b', 'old'), pod('c', 'old')]
    expect(decide(surging, old)).toMatchObject({ create: ['a'], remove: [] })
    expect(decide(surging, [...old, pod('a', 'new', false)])).toMatchObject({ create: [], remove: [] })
    expect(decide(surging, [...old, pod('a')])).toMatchObject({ remove: ['agent-a-old'] })
    // An old pod that is not ready is no reason to wait.
    const broken = [pod('a', 'old', false), ...old.slice(1), pod('a', 'new', false)]
    expect(decide(surging, broken)).toMatchObject({ remove: ['agent-a-old'] })
  })

  it('with surge keeps an old pod where it wants none any more as long as another is missing', () => {
    const surging = set({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    })
    const on = [node('a', [{ key: 'x', effect: 'NoSchedule' }]), node('b')]
    expect(decide(surging, [pod('a', 'old'), pod('b', 'new', false)], on)).toMatchObject({ create: [], remove: [] })
    expect(decide(surging, [pod('a', 'old'), pod('b')], on)).toMatchObject({ create: [], remove: ['agent-a-old'] })
    expect(decide(surging, [pod('a', 'old', false), pod('b', 'new', false)], on).remove).toEqual(['agent-a-old'])
  })

  it('does not count a pod that has ended and is leaving', () => {
    const { metadata, ...rest } = pod('a')
    const leaving = { ...metadata, deletionTimestamp: '2026-01-01T00:59:00Z', finalizers: ['example.com/hold'] }
    const ended: Pod = { ...rest, metadata: leaving, status: { phase: 'Failed' } }
    const { create, status } = decide(set(), [ended, pod('b'), pod('c')])
    expect([create, status.currentNumberScheduled]).toEqual([['a'], 2])
  })

  it('tells its status', () => {
    const { status } = decide(set(), [pod('a'), pod('b', 'new', false)])
    expect(status).toEqual({
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 1,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
      numberAvailable: 1,
      numberUnavailable: 2,
    })
    expect(decide({ ...set(), status }, [pod('a'), pod('b', 'new', false)]).status).toBe(status)
  })
})

it('a daemon keeps the tolerations of its template in their places, without their time limits', () => {
  const tolerations = [
    { key: 'own', operator: 'Exists', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 },
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists' },
  ] as const
  const of = set({ template: { metadata: { labels: { app: 'agent' } }, spec: { containers: [], tolerations } } })
  expect(podFor(of, 'a', 'new').spec.tolerations?.map(({ key, effect }) => `${key}:${effect ?? ''}`)).toEqual([
    'own:NoExecute',
    'node.kubernetes.io/unreachable:NoExecute',
    'node.kubernetes.io/not-ready:',
    'node.kubernetes.io/not-ready:NoExecute',
    'node.kubernetes.io/disk-pressure:NoSchedule',
    'node.kubernetes.io/memory-pressure:NoSchedule',
    'node.kubernetes.io/pid-pressure:NoSchedule',
    'node.kubernetes.io/unschedulable:NoSchedule',
  ])
  expect(
    podFor(of, 'a', 'new').spec.tolerations?.some(({ tolerationSeconds }) => tolerationSeconds !== undefined),
  ).toBe(false)
})
