// The table of "which loop is stuck, and what gap does it see?": one case for each link of the chain.
import { describe, expect, it } from 'vitest'
import type { Application, Deployment, Event, Pod, ReplicaSet, Service } from '#kinds'
import type { AnyObject } from '#objects'
import { explainApplication } from './application.ts'
import type { Finding } from './finding.ts'
import { explainGeneric } from './generic.ts'
import { placementLines } from './placement.ts'
import { explainPod } from './pod.ts'
import { explainService } from './service.ts'
import { explainDeployment, explainReplicaSet } from './workload.ts'

type PodParts = {
  readonly spec?: Partial<Pod['spec']>
  readonly status?: Pod['status']
  readonly metadata?: Partial<Pod['metadata']>
}

const pod = (parts: PodParts = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', namespace: 'shop', uid: 'p1', ...parts.metadata },
  spec: { containers: [{ name: 'app', image: 'app:1' }], ...parts.spec },
  ...(parts.status === undefined ? {} : { status: parts.status }),
})

const event = (reason: string, message: string): Event => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `e-${reason}` },
  involvedObject: {},
  reason,
  message,
})

const ready: Pod['status'] = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

describe('explain a pod', () => {
  it('without a node waits for the scheduler, with the filter that refused', () => {
    const message = '0/3 nodes are available: 3 Insufficient cpu.'
    const status: Pod['status'] = {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    }
    expect(explainPod({ pod: pod({ status }), events: [event('FailedScheduling', message)] })).toMatchObject({
      state: 'stuck',
      loop: 'scheduler',
      gap: message,
    })
  })

  it('without a node and without a verdict is in the queue', () => {
    expect(explainPod({ pod: pod(), events: [] })).toMatchObject({ state: 'progressing', loop: 'scheduler' })
  })

  it('with claims of devices waits for whoever makes them', () => {
    const spec = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpus' }] }
    const failure = event('FailedResourceClaimCreation', 'PodResourceClaim gpu: …')
    expect(explainPod({ pod: pod({ spec }), events: [failure] })).toMatchObject({
      state: 'stuck',
      loop: 'resourceclaim controller',
      gap: 'ResourceClaims are to be made for it: gpu from the template gpus',
    })
    const named = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] }
    expect(explainPod({ pod: pod({ spec: named }), events: [] })).toMatchObject({
      state: 'progressing',
      loop: 'scheduler',
      gap: 'it is tried as soon as its ResourceClaims are there: mine',
    })
  })

  it('with a scheduler that runs here is in its queue', () => {
    const mine = pod({ spec: { schedulerName: 'mine' } })
    expect(explainPod({ pod: mine, events: [], schedulers: ['default-scheduler', 'mine'] })).toMatchObject({
      state: 'progressing',
      loop: 'scheduler',
    })
  })

  it('with an unknown scheduler waits for that one', () => {
    expect(explainPod({ pod: pod({ spec: { schedulerName: 'mine' } }), events: [] })).toMatchObject({
      state: 'stuck',
      loop: 'scheduler mine',
    })
  })

  it.each([
    ['manifest unknown: not found', 'does not exist'],
    ['unexpected status: 401 Unauthorized', 'imagePullSecret'],
    ['dial tcp: i/o timeout', 'cannot reach the registry'],
    ['429 toomanyrequests', 'limits pulls'],
  ])('whose image cannot be pulled (%s) waits for the kubelet and says why', (message, advice) => {
    const status: Pod['status'] = {
      phase: 'Pending',
      containerStatuses: [
        {
          name: 'app',
          image: 'app:1',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { waiting: { reason: 'ErrImagePull', message } },
        },
      ],
    }
    const finding = explainPod({ pod: pod({ spec: { nodeName: 'node-1' }, status }), events: [] })
    expect(finding).toMatchObject({ state: 'stuck', loop: 'kubelet on node-1' })
    expect(finding.advice).toContain(advice)
  })

  it.each<[string, readonly string[], string, string]>([
    ['OOMKilled', [], 'takes more memory than its limit', 'resources.limits.memory'],
    ['Completed', ['Container app failed liveness probe, will be restarted'], 'fails its liveness probe', 'liveness'],
    ['Error', ['Container app failed startup probe, will be restarted'], 'fails its startup probe', 'startup'],
    ['Error', ['Container other failed liveness probe, will be restarted'], 'ends as soon as it has started', 'logs'],
  ])('that crashes says why: %s, %j', (reason, killings, gap, advice) => {
    const status: Pod['status'] = {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'app',
          image: 'app:1',
          imageID: '',
          ready: false,
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, reason } },
        },
      ],
    }
    const events = killings.map((message) => event('Killing', message))
    const finding = explainPod({ pod: pod({ spec: { nodeName: 'node-1' }, status }), events })
    expect(finding.gap).toContain(gap)
    expect(finding.advice).toContain(advice)
  })

  it('that crashes names the exit code and where to read why', () => {
    const status: Pod['status'] = {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'app',
          image: 'app:1',
          imageID: '',
          ready: false,
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        },
      ],
    }
    const finding = explainPod({ pod: pod({ spec: { nodeName: 'node-1' }, status }), events: [] })
    expect(finding.evidence.join()).toContain('exit code 137 (OOMKilled)')
    expect(finding.advice).toContain('--previous')
  })

  it('that runs without being Ready waits for its probe', () => {
    const status: Pod['status'] = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
      containerStatuses: [
        { name: 'app', image: 'app:1', imageID: '', ready: false, restartCount: 0, state: { running: {} } },
      ],
    }
    const spec: Partial<Pod['spec']> = {
      nodeName: 'node-1',
      containers: [{ name: 'app', image: 'app:1', readinessProbe: { tcpSocket: { port: 80 } } }],
    }
    const finding = explainPod({
      pod: pod({ spec, status }),
      events: [event('Unhealthy', 'Readiness probe failed: connection refused')],
    })
    expect(finding).toMatchObject({ state: 'stuck', loop: 'kubelet on node-1 (probes)' })
    expect(finding.gap).toContain('probe of app')
  })

  it('that is Ready waits for nothing', () => {
    expect(explainPod({ pod: pod({ spec: { nodeName: 'node-1' }, status: ready }), events: [] })).toMatchObject({
      state: 'converged',
    })
  })

  it('that is being deleted names the finalizer', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['example.com/hold'] }
    expect(explainPod({ pod: pod({ metadata }), events: [] }).loop).toContain('example.com/hold')
  })
})

const deployment = (status: Deployment['status'], generation = 2): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', generation },
  spec: { replicas: 3, selector: {}, template: { spec: { containers: [] } } } as Deployment['spec'],
  status: status ?? {},
})

describe('explain a workload', () => {
  it('compares generation with observedGeneration first', () => {
    const [finding] = explainDeployment({ object: deployment({ observedGeneration: 1 }, 3), events: [], pods: [] })
    expect(finding).toMatchObject({ state: 'progressing', loop: 'deployment controller' })
    expect(finding?.gap).toContain('2 generations behind')
  })

  it('goes down to the pod that is stuck', () => {
    const object = deployment({
      observedGeneration: 2,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 2,
    })
    const findings = explainDeployment({
      object,
      events: [],
      pods: [{ pod: pod({ spec: { schedulerName: 'mine' } }), events: [] }],
    })
    expect(findings.map(({ object: name, state }) => `${name} ${state}`)).toEqual([
      'Deployment shop/web stuck',
      'Pod shop/web-1 stuck',
    ])
  })

  it('names the webhook that keeps a ReplicaSet from creating its pods', () => {
    const message =
      'Internal error occurred: failed calling webhook "inject.platform.io": failed to call webhook: no endpoints available for service "inject"'
    const object = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', namespace: 'platform' },
      spec: { replicas: 3, selector: {} },
      status: {
        replicas: 0,
        conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
      },
    } as ReplicaSet
    const [finding] = explainReplicaSet({ object, events: [], pods: [] })
    expect(finding?.state).toBe('stuck')
    expect(finding?.gap).toContain('inject.platform.io')
    expect(finding?.advice).toContain('delete the webhook configuration')
  })
})

describe('explain a service', () => {
  const service = (selector?: Record<string, string>): Service => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: 'shop' },
    spec: selector === undefined ? {} : { selector },
  })

  it('that selects nothing says so', () => {
    expect(explainService({ service: service({ app: 'typo' }), slices: [], pods: [] })[0]?.gap).toContain(
      'no pod matches',
    )
  })

  it('with pods of which none is Ready goes down to them', () => {
    const findings = explainService({
      service: service({ app: 'web' }),
      slices: [],
      pods: [{ pod: pod(), events: [] }],
    })
    expect(findings.map(({ loop }) => loop)).toEqual(['scheduler', 'scheduler'])
  })

  it('whose slices lag behind waits for the endpointslice controller', () => {
    const observed = {
      service: service({ app: 'web' }),
      slices: [],
      pods: [{ pod: pod({ status: ready }), events: [] }],
    }
    expect(explainService(observed)[0]).toMatchObject({ state: 'progressing', loop: 'endpointslice controller' })
  })
})

describe('explain anything else', () => {
  const object = (parts: object): AnyObject => ({ apiVersion: 'v1', kind: 'Widget', metadata: { name: 'a' }, ...parts })

  it('reads conditions and finalizers', () => {
    expect(explainGeneric(object({}))).toMatchObject({ state: 'converged' })
    expect(
      explainGeneric(object({ status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NoQuota' }] } }))
        .evidence,
    ).toEqual(['condition Ready=False (NoQuota)'])
    expect(
      explainGeneric(object({ metadata: { name: 'a', deletionTimestamp: 't', finalizers: ['x/y'] } })),
    ).toMatchObject({ state: 'stuck' })
  })

  it('tells an application that differs from one that cannot be compared', () => {
    const explained = (parts: object): Finding | undefined =>
      explainApplication({
        object: { ...object({ spec: {} }), kind: 'Application', ...parts } as unknown as Application,
      })[0]
    expect(explained({ status: { sync: { status: 'Synced' }, health: { status: 'Healthy' } } })?.state).toBe(
      'converged',
    )
    expect(explained({ status: { sync: { status: 'OutOfSync' } } })).toMatchObject({
      state: 'stuck',
      loop: 'you: automated sync is off',
    })
    const conditions = [{ type: 'DeletionError', message: 'a hook failed' }]
    expect(
      explained({ metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' }, status: { conditions } })
        ?.evidence,
    ).toContain('condition DeletionError: a hook failed')
    const broken = explained({
      status: { sync: { status: 'Unknown' }, conditions: [{ type: 'ComparisonError', message: 'a.yaml:3: bad' }] },
    })
    expect(broken?.evidence).toEqual(['condition ComparisonError: a.yaml:3: bad'])
    expect(broken?.gap).toContain('a.yaml:3: bad')
  })
})

describe('how a pod was placed', () => {
  const refused = {
    at: '2026-01-01T00:00:00Z',
    scheduler: 'default-scheduler',
    nodes: 700,
    evaluated: 700,
    feasible: 0,
    refused: [
      { plugin: 'NodeResourcesFit', reasons: ['Insufficient cpu'], count: 699, nodes: ['b', 'a'] },
      { plugin: 'NodeAffinity', reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], count: 1, nodes: [] },
    ],
    scores: [],
    preemption: { node: 'a', victims: ['demo/x', 'demo/y'] },
    waiting: {
      attempts: 2,
      wakes: [{ plugin: 'NodeResourcesFit', events: ['a pod leaves a node', 'a node is added'] }],
      backoffUntil: '2026-01-01T00:00:03Z',
      nextTryAt: '2026-01-01T00:05:00Z',
    },
  }
  it('is told filter by filter, with what it waits for', () => {
    expect(placementLines(refused)).toEqual([
      'last attempt at 2026-01-01T00:00:00Z by default-scheduler: no node fits of 700',
      'filter NodeResourcesFit refused 699 nodes: Insufficient cpu (a, b and 697 more)',
      "filter NodeAffinity refused 1 node: node(s) didn't satisfy plugin(s) [NodeAffinity]",
      'preemption: demo/x, demo/y must leave a',
      '2 attempts so far; next one at 2026-01-01T00:05:00Z, or sooner',
      '  when a pod leaves a node, or a node is added (NodeResourcesFit)',
      '  until 2026-01-01T00:00:03Z, pods that are ready go first',
    ])
  })

  it('is told score by score', () => {
    const byPlugin = [
      { plugin: 'TaintToleration', score: 100, weight: 3 },
      { plugin: 'NodeResourcesFit', score: 40, weight: 1 },
    ]
    const { preemption: _preemption, waiting: _waiting, ...attempt } = refused
    const scores = [{ node: 'a', total: 340, byPlugin }]
    expect(placementLines({ ...attempt, node: 'a', evaluated: 420, feasible: 420, refused: [], scores })).toEqual([
      'last attempt at 2026-01-01T00:00:00Z by default-scheduler: a chosen, 420 fit (420 of 700 looked at)',
      'score of a: 340 = TaintToleration 100×3 + NodeResourcesFit 40',
    ])
  })
})
