import { describe, expect, it } from 'vitest'
import type { Pod, StatefulSet, StatefulSetSpec, StatefulSetStatus } from '#kinds'
import { decideSet, type SetStep } from './decide.ts'
import { claimsOf, newPod, retainedClaim } from './identity.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

const set = (spec: Partial<StatefulSetSpec> = {}, status?: StatefulSetStatus): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default', uid: 's', generation: 1 },
  spec: {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } } },
    ...spec,
  },
  ...(status === undefined ? {} : { status }),
})

type State = 'ready' | 'starting' | 'terminating' | 'failed' | 'pending'

const phaseOf = (state: State) => (state === 'failed' ? 'Failed' : state === 'pending' ? 'Pending' : 'Running')

function pod(ordinal: number, state: State = 'ready', revision = 'new'): Pod {
  const made = newPod(set(), ordinal, { name: revision, template: { metadata: { labels: { app: 'db' } } } })
  const ready = {
    type: 'Ready',
    status: state === 'ready' ? 'True' : 'False',
    lastTransitionTime: '2026-01-01T00:59:55Z',
  }
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: `p${ordinal}`,
      ...(state === 'terminating' ? { deletionTimestamp: '2026-01-01T00:59:59Z' } : {}),
    },
    status: { phase: phaseOf(state), conditions: [ready] },
  }
}

const decide = (of: StatefulSet, pods: readonly Pod[], currentRevision = 'new') =>
  decideSet({ set: of, pods, currentRevision, updateRevision: 'new', now })

const short = (steps: readonly SetStep[]): readonly string[] =>
  steps.map((step) =>
    step.type === 'create' ? `create ${step.ordinal} ${step.revision}` : `${step.type} ${step.pod.metadata.name}`,
  )

describe('the steps of a StatefulSet', () => {
  const parallel = { podManagementPolicy: 'Parallel' } as const
  const partition = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } } as const
  it.each<readonly [string, StatefulSet, readonly Pod[], readonly string[]]>([
    ['the first pod comes first', set(), [], ['create 0 new']],
    ['the next waits for the one before', set(), [pod(0, 'starting')], []],
    ['the next follows', set(), [pod(0)], ['create 1 new']],
    ['ordinals may start elsewhere', set({ ordinals: { start: 5 }, replicas: 1 }), [], ['create 5 new']],
    ['all at once in parallel', set(parallel), [pod(1, 'starting')], ['create 0 new', 'create 2 new']],
    ['the last goes first', set({ replicas: 1 }), [pod(0), pod(1), pod(2)], ['delete db-2']],
    ['the next waits until it is gone', set({ replicas: 1 }), [pod(0), pod(1), pod(2, 'terminating')], []],
    [
      'all go at once in parallel',
      set({ ...parallel, replicas: 1 }),
      [pod(0), pod(1), pod(2)],
      ['delete db-2', 'delete db-1'],
    ],
    ['a failed pod is made anew', set(), [pod(0), pod(1, 'failed')], ['delete db-1']],
    [
      'the last outdated pod is replaced',
      set(),
      [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2, 'ready', 'old')],
      ['delete db-2'],
    ],
    ['the next after it is well', set(), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2)], ['delete db-1']],
    ['not while it is not', set(), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2, 'starting')], []],
    ['pods below the partition stay', set(partition), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2)], []],
    [
      'OnDelete waits for somebody else',
      set({ updateStrategy: { type: 'OnDelete' } }),
      [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2, 'ready', 'old')],
      [],
    ],
    ['minReadySeconds counts', set({ minReadySeconds: 10 }), [pod(0)], []],
    [
      'a replaced pod that is ready is waited for until it is available',
      set({ ...parallel, minReadySeconds: 10 }),
      [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2)],
      [],
    ],
    ['a pod that waits gets the claims that it lacks', set(), [pod(0, 'pending')], ['claims db-0']],
    [
      'in parallel a replacement does not wait for pods before it',
      set(parallel),
      [pod(1, 'starting'), pod(2, 'ready', 'old')],
      ['create 0 new', 'delete db-2'],
    ],
  ])('%s', (_, of, pods, steps) => {
    expect(short(decide(of, pods).steps)).toEqual(steps)
  })

  it('pods below the partition come back as they were', () => {
    expect(short(decide(set(partition), [], 'old').steps)).toEqual(['create 0 old'])
  })
})

describe('its status', () => {
  it('counts by revision, and moves on once all are updated', () => {
    const mixed = [pod(0, 'ready', 'old'), pod(1), pod(2)]
    expect(decide(set(), mixed, 'old').status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 2,
      currentRevision: 'old',
    })
    // One of the old ones goes now: it does not count any more.
    expect(decide(set(), [pod(0, 'ready', 'old'), pod(1, 'ready', 'old'), pod(2)], 'old').status).toMatchObject({
      currentReplicas: 1,
    })
    const all = [pod(0), pod(1), pod(2)]
    expect(decide(set(), all, 'old').status).toMatchObject({
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: 'new',
    })
    const { status } = decide(set(), all)
    expect(decide(set({}, status), all).status).toBe(status)
  })
})

describe('claims', () => {
  const templates = [
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', labels: { x: 'y' } }, spec: {} },
  ]
  it('are named after the pod and mounted in it', () => {
    const of = set({ volumeClaimTemplates: templates })
    expect(claimsOf(of, 1)[0]?.metadata).toMatchObject({ name: 'data-db-1', labels: { app: 'db', x: 'y' } })
    expect(newPod(of, 1, { name: 'new', template: {} }).spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } },
    ])
  })

  it.each<readonly [string, string, number, string | undefined]>([
    ['Retain', 'Retain', 0, undefined],
    ['Delete', 'Retain', 0, 's'],
    ['Retain', 'Delete', 0, undefined],
    ['Retain', 'Delete', 3, 'p3'],
    ['Delete', 'Delete', 3, 'p3'],
  ])('whenDeleted %s, whenScaled %s: claim of pod %i belongs to %s', (whenDeleted, whenScaled, ordinal, owner) => {
    const of = set({
      volumeClaimTemplates: templates,
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
    })
    const [claim] = claimsOf(of, ordinal)
    if (claim === undefined) throw new Error('there is a template')
    expect(retainedClaim(claim, of, pod(ordinal)).metadata.ownerReferences?.[0]?.uid).toBe(owner)
  })
})
