import { describe, expect, it } from 'vitest'
import type { Pod, StatefulSet, StatefulSetSpec, StatefulSetStatus } from '#kinds'
import { decideSet, type SetStep } from './decide.ts'
import { claimsOf, newPod } from './identity.ts'
import { hasOtherController, retainedClaim } from './retention.ts'

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

const decide = (
  of: StatefulSet,
  pods: readonly Pod[],
  currentRevision = 'new',
  areKept: (pod: Pod) => boolean = () => true,
) => decideSet({ set: of, pods, currentRevision, updateRevision: 'new', areKept, now })

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

  it.each<readonly [string, StatefulSet, readonly Pod[], readonly string[]]>([
    ['in order, up to the first pod that is not available', set(), [pod(0), pod(1, 'starting')], ['repair db-0']],
    [
      'in parallel, of all that are there',
      set(parallel),
      [pod(0, 'starting'), pod(1), pod(2)],
      ['repair db-0', 'repair db-1', 'repair db-2'],
    ],
    ['of a pod that goes, once those that stay are available', set({ replicas: 1 }), [pod(0, 'starting'), pod(1)], []],
    ['before that pod goes', set({ replicas: 1 }), [pod(0), pod(1)], ['repair db-0', 'keep db-1', 'delete db-1']],
    [
      'of none when the set itself goes',
      { ...set(), metadata: { ...set().metadata, deletionTimestamp: 'x' } },
      [pod(0)],
      [],
    ],
  ])('give claims their owners: %s', (_, of, pods, steps) => {
    expect(short(decide(of, pods, 'new', () => false).steps)).toEqual(steps)
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

describe('a status that others have added to', () => {
  it('stays while the counts do, and loses what is not its own when they change', () => {
    const { status } = decide(set(), [pod(0)])
    const told = { ...status, conditions: [{ type: 'Watched', status: 'True' }] }
    expect(decide(set({}, told), [pod(0)]).status).toBe(told)
    expect(decide(set({}, told), [pod(0), pod(1)]).status).not.toHaveProperty('conditions')
  })
})

describe('claims', () => {
  const templates = [
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data', labels: { x: 'y' } }, spec: {} },
  ]
  it('come with all that their template says of them', () => {
    const [template] = templates
    if (template === undefined) throw new Error('there is a template')
    const finalizers = ['example.org/keep']
    const of = set({ volumeClaimTemplates: [{ ...template, metadata: { ...template.metadata, finalizers } }] })
    expect(claimsOf(of, 1)[0]?.metadata).toMatchObject({ name: 'data-db-1', finalizers })
  })

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
  const other = { apiVersion: 'example.org/v1', kind: 'Keeper', name: 'k', uid: 'k', controller: true }
  const ofSet = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 's', controller: true }
  const before = { ...ofSet, uid: 'before' }
  const { controller: _, ...plain } = ofSet
  it.each([
    ['a set that keeps its claims does not mind another controller', 'Retain', [other], [other], false],
    ['but gives up what it owns beside it', 'Retain', [other, ofSet], [other], false],
    ['one that would delete them does', 'Delete', [other], [other], true],
    ['and gives up what it owns all the same', 'Delete', [other, ofSet], [other], true],
    ['a claim of a set of this name that was there before is left alone', 'Delete', [before], [before], true],
    ['an owner becomes the controller', 'Delete', [plain], [{ ...ofSet, blockOwnerDeletion: true }], false],
  ] as const)('%s', (_, whenDeleted, ownerReferences, after, isOther) => {
    const of = set({
      volumeClaimTemplates: templates,
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: 'Retain' },
    })
    const [made] = claimsOf(of, 0)
    if (made === undefined) throw new Error('there is a template')
    const claim = { ...made, metadata: { ...made.metadata, ownerReferences } }
    expect(retainedClaim(claim, of, pod(0)).metadata.ownerReferences).toEqual(after)
    expect(hasOtherController(claim, of, pod(0))).toBe(isOther)
  })
})

it('a pod has no subdomain but that of the service', () => {
  const template = { spec: { subdomain: 'own', containers: [] } }
  expect(newPod(set(), 0, { name: 'new', template }).spec.subdomain).toBe('db')
  expect(newPod(set({ serviceName: '' }), 0, { name: 'new', template }).spec).not.toHaveProperty('subdomain')
})
