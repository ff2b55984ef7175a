// The table of causes: what keeps an object from being as it should be, told apart by the words and fields that show it.
import { describe, expect, it } from 'vitest'
import type {
  Application,
  CronJob,
  DaemonSet,
  Deployment,
  Fault,
  HorizontalPodAutoscaler,
  Job,
  Node,
  Pod,
  StatefulSet,
} from '#kinds'
import type { AnyObject } from '#objects'
import { explainApplication } from './application.ts'
import { explainAutoscaler } from './autoscaler.ts'
import { explainClaim } from './claim.ts'
import { explainDeletion } from './deletion.ts'
import { below, causeOf, endsOf, type Finding, withBelow } from './finding.ts'
import { explainIngress } from './ingress.ts'
import { explainCronJob, explainJob } from './job.ts'
import { withFaults, withLoop } from './loops.ts'
import { explainNode } from './node.ts'
import { explainPod } from './pod.ts'
import { refusalIn } from './refusal.ts'
import { explainService } from './service.ts'
import { explainDaemonSet, explainDeployment, explainStatefulSet } from './workload.ts'

const metadata = { name: 'web', namespace: 'shop', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
/** An object with what the case is about. */
const like = <T>(kind: string, parts: object): T => ({ apiVersion: 'v1', kind, metadata, ...parts }) as T
const event = (reason: string, message = '') => ({ reason, message, metadata: {}, involvedObject: {} }) as never
const nothing = { events: [], pods: [] }

describe('a refusal', () => {
  it.each([
    [
      'pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
      'quota q is used up',
      'resourcequota',
    ],
    ['failed quota: q: must specify requests.cpu for: a', 'do not state', 'LimitRange'],
    [
      'pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged',
      'restricted:latest pods only',
      'enforce',
    ],
    ['maximum cpu usage per Container is 100m, but limit is 1', 'LimitRange', 'describe limitrange'],
    ['no PriorityClass with name gold was found', 'PriorityClass gold', 'Create'],
    [
      'error looking up service account shop/ghost: serviceaccount "ghost" not found',
      'ghost does not exist',
      'create serviceaccount -n shop ghost',
    ],
    ['failed calling webhook "w.example.com": timeout', 'w.example.com does not answer', 'delete the webhook'],
    ['pods is forbidden: User "system:x" cannot create resource "pods"', 'may not', 'auth can-i'],
  ])('%s', (message, gap, advice) => {
    const refusal = refusalIn(message, 'shop')
    expect(refusal.gap).toContain(gap)
    expect(refusal.advice).toContain(advice)
  })

  it('of another kind is told as it is', () => expect(refusalIn('no such luck')).toEqual({ gap: 'no such luck' }))
})

describe('a pod that is not placed', () => {
  it.each([
    ['3 Insufficient cpu.', 'describe nodes'],
    ["3 node(s) didn't match Pod's node affinity/selector.", '--show-labels'],
    ['3 node(s) had untolerated taint {a: b}.', 'tolerate'],
    ['3 node(s) were unschedulable.', 'uncordon'],
    ["3 node(s) didn't have free ports for the requested pod ports.", 'hostPort'],
    ['pod has unbound immediate PersistentVolumeClaims.', 'claims'],
  ])('%s', (message, advice) => {
    const conditions = [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: 't' },
    ]
    const finding = explainPod({
      pod: like<Pod>('Pod', { spec: { containers: [] }, status: { conditions } }),
      events: [],
    })
    expect(finding).toMatchObject({ state: 'stuck', loop: 'scheduler', since: 't' })
    expect(finding.advice).toContain(advice)
  })

  it('waits for those that leave their node to it', () => {
    const status = { nominatedNodeName: 'node-1', conditions: [{ type: 'PodScheduled', status: 'False' }] }
    const finding = explainPod({ pod: like<Pod>('Pod', { spec: { containers: [] }, status }), events: [] })
    expect(finding).toMatchObject({ state: 'progressing', gap: expect.stringContaining('node-1') })
  })

  it('ends at its claim, whose loop has the next step', () => {
    const pod = like<Pod>('Pod', { spec: { containers: [] } })
    const claim = explainClaim({
      object: like('PersistentVolumeClaim', { spec: { storageClassName: 'x' }, status: { phase: 'Pending' } }),
      events: [event('ProvisioningFailed', 'storageclass "x" not found')],
    })
    expect(withBelow(explainPod({ pod, events: [] }), [[claim]])).toMatchObject([
      { state: 'stuck', loop: 'persistentvolume controller' },
      { depth: 1, gap: expect.stringContaining('storageclass "x" not found') },
    ])
  })
})

describe('a container', () => {
  const waiting = (reason: string, message: string) =>
    explainPod({
      pod: like<Pod>('Pod', {
        spec: { nodeName: 'n', containers: [{ name: 'a' }] },
        status: {
          phase: 'Pending',
          containerStatuses: [{ name: 'a', state: { waiting: { reason, message } }, restartCount: 0 }],
        },
      }),
      events: [],
    })
  it.each([
    ['CreateContainerConfigError', 'configmap "c" not found', 'Create the ConfigMap c in namespace shop'],
    ['CreateContainerConfigError', 'secret "s" not found', 'Create the Secret s in namespace shop'],
    ['CreateContainerConfigError', "couldn't find key k in ConfigMap shop/c", 'Add the key k'],
    ['CreateContainerConfigError', 'container has runAsNonRoot and image will run as root', 'runAsUser'],
    ['InvalidImageName', 'x', 'correct it'],
    ['ErrImageNeverPull', 'x', 'imagePullPolicy'],
  ])('%s: %s', (reason, message, advice) => expect(waiting(reason, message).advice).toContain(advice))

  it('that others wait for is named while it runs', () => {
    const pod = like<Pod>('Pod', {
      spec: { nodeName: 'n', containers: [], initContainers: [{ name: 'prep' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'prep', state: { running: { startedAt: 't' } }, restartCount: 0 }],
      },
    })
    expect(explainPod({ pod, events: [] })).toMatchObject({
      gap: expect.stringContaining('init container prep'),
      since: 't',
    })
  })
})

describe('what people hold back', () => {
  const template = { spec: { containers: [] } }
  it('is a paused rollout, but only while it has something to roll out', () => {
    const paused = (updatedReplicas: number) =>
      explainDeployment({
        ...nothing,
        object: like<Deployment>('Deployment', {
          spec: { replicas: 1, paused: true, selector: {}, template },
          status: { observedGeneration: 1, replicas: 1, availableReplicas: 1, updatedReplicas },
        }),
      })[0]
    expect(paused(0)).toMatchObject({ state: 'stuck', advice: expect.stringContaining('rollout resume -n shop') })
    expect(paused(1)?.state).toBe('converged')
  })

  it('is OnDelete, of StatefulSets and DaemonSets', () => {
    const set = like<StatefulSet>('StatefulSet', {
      spec: { replicas: 2, selector: { matchLabels: { a: 'b' } }, template, updateStrategy: { type: 'OnDelete' } },
      status: { replicas: 2, readyReplicas: 2, updatedReplicas: 0, currentRevision: 'a', updateRevision: 'b' },
    })
    expect(explainStatefulSet({ ...nothing, object: set })[0]).toMatchObject({
      state: 'stuck',
      gap: expect.stringContaining('2 of 2 pods have the old template'),
      advice: expect.stringContaining('delete pod -n shop -l a=b'),
    })
    const daemon = like<DaemonSet>('DaemonSet', {
      spec: { selector: {}, template, updateStrategy: { type: 'OnDelete' } },
      status: { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberAvailable: 3, updatedNumberScheduled: 1 },
    })
    expect(explainDaemonSet({ ...nothing, object: daemon })[0]?.gap).toContain('2 of 3 pods')
  })

  it('is not a partition: what stays below it is as it should be', () => {
    const object = like<StatefulSet>('StatefulSet', {
      spec: { replicas: 3, selector: {}, template, updateStrategy: { rollingUpdate: { partition: 2 } } },
      status: { replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
    })
    expect(explainStatefulSet({ ...nothing, object })[0]?.state).toBe('converged')
  })

  it('is a suspended Job, or one that another controller looks after', () => {
    const job = (spec: object) =>
      explainJob({ ...nothing, object: like<Job>('Job', { spec: { template, ...spec } }) })[0]
    expect(job({ suspend: true })?.loop).toBe('whoever suspended it')
    expect(job({ managedBy: 'example.com/queue' })?.loop).toBe('example.com/queue')
  })
})

describe('a CronJob', () => {
  const cron = (spec: object, ...events: readonly never[]) =>
    explainCronJob({
      object: like<CronJob>('CronJob', { spec: { schedule: '* * * * *', ...spec } }),
      events,
      jobs: [],
    })[0]
  it('is suspended, misses its time, or waits for its last run', () => {
    expect(cron({ suspend: true })?.advice).toContain('"suspend":false')
    expect(cron({}, event('UnknownTimeZone', 'unknown time zone "Mars"'))?.gap).toContain('Mars')
    expect(cron({ concurrencyPolicy: 'Forbid' }, event('JobAlreadyActive'))?.gap).toContain('Forbid')
    expect(cron({})?.state).toBe('converged')
  })
})

describe('traffic', () => {
  const ready = like<Pod>('Pod', {
    spec: { containers: [{ name: 'a', ports: [{ name: 'http' }] }] },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  })
  const slices = [{ endpoints: [{ conditions: { ready: true } }], ports: [] }] as never
  const service = (spec: object, more: object = {}) =>
    explainService({
      service: like('Service', { spec: { selector: { a: 'b' }, ...spec } }),
      slices,
      pods: [{ pod: ready, events: [] }],
      ...more,
    })[0]
  it('finds no port of that name, no address, or nobody behind it', () => {
    expect(service({ ports: [{ port: 80, targetPort: 'htp' }] })?.gap).toContain('port named htp')
    expect(service({ type: 'LoadBalancer', loadBalancerClass: 'x/y', ports: [] })).toMatchObject({
      state: 'stuck',
      loop: expect.stringContaining('x/y'),
    })
    const zero = { pods: [], makers: [{ name: 'Deployment shop/web', replicas: 0, findings: [] }] }
    expect(service({ ports: [] }, zero)).toMatchObject({
      state: 'converged',
      gap: expect.stringContaining('scaled to zero'),
    })
  })

  it('needs a class, a Service and its port to come in', () => {
    const ingress = (ingressClassName: string | undefined, backends: readonly never[] = []) =>
      explainIngress({
        object: like('Ingress', {
          spec: {
            ...(ingressClassName && { ingressClassName }),
            defaultBackend: { service: { name: 's', port: { number: 80 } } },
          },
        }),
        classes: [like('IngressClass', { metadata: { name: 'nginx' } })],
        backends,
      })[0]?.gap
    expect(ingress(undefined)).toContain('names no class')
    expect(ingress('nope')).toContain('no IngressClass nope')
    expect(ingress('nginx')).toContain('Service s, which does not exist')
    const other = { service: { metadata: { name: 's' }, spec: { ports: [{ port: 8080 }] } }, findings: [] } as never
    expect(ingress('nginx', [other])).toContain('port 80 of the Service s, which has 8080')
  })
})

describe('an autoscaler', () => {
  const scaler = (conditions: readonly object[], more: object = {}) =>
    explainAutoscaler(
      like<HorizontalPodAutoscaler>('HorizontalPodAutoscaler', {
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 },
        status: { currentReplicas: 3, desiredReplicas: 3, conditions, ...more },
      }),
    )[0]
  it('says why it cannot scale, and that it is at its most', () => {
    const missing = {
      type: 'ScalingActive',
      status: 'False',
      reason: 'FailedGetResourceMetric',
      message: 'missing request for cpu in container a',
    }
    expect(scaler([missing])).toMatchObject({ state: 'stuck', advice: expect.stringContaining('resources.requests') })
    expect(scaler([{ type: 'AbleToScale', status: 'False', reason: 'FailedGetScale' }])?.advice).toContain(
      'scaleTargetRef',
    )
    expect(scaler([{ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }])?.gap).toContain(
      'at its most',
    )
    expect(scaler([{ type: 'AbleToScale', status: 'True' }])?.state).toBe('converged')
  })
})

describe('a deletion', () => {
  const deleted = (finalizers: readonly string[]) =>
    explainDeletion(like<AnyObject>('ConfigMap', { metadata: { ...metadata, deletionTimestamp: 't', finalizers } }))
  it.each([
    ['example.com/x', 'stuck', 'owners of its finalizers'],
    ['foregroundDeletion', 'progressing', 'garbage collector'],
    ['kubernetes.io/pvc-protection', 'progressing', 'pvcprotection'],
    ['resources-finalizer.argocd.argoproj.io', 'progressing', 'application controller'],
  ])('held by %s', (finalizer, state, loop) =>
    expect(deleted([finalizer])).toMatchObject({ state, loop: expect.stringContaining(loop), since: 't' }),
  )
  it('of a claim names the pods that use it', () => {
    const object = like<never>('PersistentVolumeClaim', { metadata: { ...metadata, deletionTimestamp: 't' }, spec: {} })
    expect(explainClaim({ object, events: [], users: ['db-0'] })).toMatchObject({
      state: 'stuck',
      gap: expect.stringContaining('db-0'),
    })
  })
})

describe('a node', () => {
  const node = (conditions: readonly object[], spec: object = {}) =>
    explainNode(like<Node>('Node', { spec, status: { conditions } }))
  it('is silent, under pressure, cordoned or well', () => {
    expect(node([{ type: 'Ready', status: 'Unknown' }]).gap).toContain('stopped reporting')
    const ready = { type: 'Ready', status: 'True' }
    expect(node([ready, { type: 'DiskPressure', status: 'True', message: 'full' }]).gap).toContain(
      'DiskPressure=True: full',
    )
    expect(node([ready], { unschedulable: true })).toMatchObject({ state: 'converged', advice: 'kubectl uncordon web' })
  })
})

describe('an Application', () => {
  const app = (status: object, automated?: object) =>
    explainApplication({ object: like<Application>('Application', { spec: { syncPolicy: { automated } }, status }) })[0]
  const out = {
    sync: { status: 'OutOfSync', revision: 'r' },
    resources: [{ kind: 'A', name: 'a', status: 'OutOfSync', requiresPruning: true }],
  }
  it.each<[string, object, object | undefined, string, string]>([
    ['nobody syncs', out, undefined, 'you: automated sync is off', '1 of 1 resources'],
    ['nobody prunes', out, {}, 'you: pruning is off', 'no longer in git'],
    [
      'nobody heals',
      { ...out, operationState: { phase: 'Succeeded', syncResult: { revision: 'r' } } },
      { prune: true },
      'you: self-heal is off',
      'somebody changed',
    ],
    [
      'a window holds',
      { ...out, conditions: [{ type: 'SyncWindowWarning', message: 'deny' }] },
      {},
      'a sync window',
      'deny',
    ],
    [
      'a sync failed',
      { ...out, operationState: { phase: 'Failed', message: 'bad field' } },
      { prune: true },
      'application controller',
      'bad field',
    ],
    [
      'the repository is away',
      { conditions: [{ type: 'ComparisonError', message: 'git fetch x: ENOTFOUND' }] },
      {},
      'repository',
      'ENOTFOUND',
    ],
    [
      'the repository went away',
      {
        sync: { status: 'Synced' },
        health: { status: 'Healthy' },
        conditions: [{ type: 'RepositoryWarning', message: 'gone' }],
      },
      {},
      'repository',
      'newer commits',
    ],
    [
      'a sync is tried again',
      { operationState: { phase: 'Running', message: 'x. Retrying attempt #2 at 1PM.' } },
      {},
      'application controller',
      'tried again',
    ],
    [
      'a person is asked',
      { operationState: { phase: 'Running', message: 'waiting for pruning confirmation of /A/a' } },
      {},
      'you: it asks',
      'confirmation',
    ],
  ])('%s', (_name, status, automated, loop, gap) => {
    const finding = app(status, automated)
    expect(finding?.state).toBe('stuck')
    expect(finding?.loop).toContain(loop)
    expect(finding?.gap).toContain(gap)
  })
})

describe('a chain', () => {
  const finding = (object: string, more: Partial<Finding> = {}): Finding => ({
    state: 'stuck',
    loop: 'l',
    object,
    gap: object,
    evidence: [],
    ...more,
  })
  it('has its cause where it ends, and says the same only once', () => {
    const pods = ['a', 'b', 'c'].map((name) => [finding(`Pod ${name}`, { gap: 'no node' })])
    const [head, pod, ...rest] = withBelow(finding('Deployment d', { state: 'progressing', loop: 'd' }), pods)
    expect(head).toMatchObject({ state: 'stuck', loop: 'l' })
    expect(pod).toMatchObject({ object: 'Pod a', depth: 1, evidence: ['2 more are in the same state'] })
    expect(rest).toEqual([])
    const chain = [finding('A'), ...below([[finding('B'), finding('C', { depth: 1 })], [finding('D')]])]
    expect(endsOf(chain).map(({ object }) => object)).toEqual(['C', 'D'])
    expect(causeOf(chain)?.object).toBe('C')
  })

  it('knows of its loop that it is paused or fails, and of the Fault that holds it', () => {
    const waits = finding('Deployment shop/web', { state: 'progressing', loop: 'the deployment controller' })
    const state = { name: 'deployment', paused: false, synced: true, backoff: [] }
    expect(withLoop(waits, [state])).toEqual(waits)
    expect(withLoop(waits, [{ ...state, paused: true }])).toMatchObject({
      state: 'stuck',
      gap: expect.stringContaining('is paused'),
    })
    expect(withLoop(waits, [{ ...state, synced: false }]).gap).toContain('first list')
    const failing = { ...state, backoff: [{ key: 'shop/web', failures: 4, error: 'forbidden' }] }
    expect(withLoop(waits, [failing]).evidence).toEqual(['loop deployment fails on it (4 times): forbidden'])
    const fault = {
      metadata: { name: 'f' },
      status: { phase: 'Active', type: 'nodeOffline', targets: ['node-1'] },
    } as unknown as Fault
    const onNode = finding('Pod a/b', { loop: 'kubelet on node-1' })
    expect(withFaults(onNode, [fault]).advice).toContain('kubectl delete fault f')
    expect(withFaults(finding('Pod a/b', { loop: 'kubelet on node-10' }), [fault]).advice).toBeUndefined()
  })
})
