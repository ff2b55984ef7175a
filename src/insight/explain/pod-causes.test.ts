// What keeps a pod from being made, placed and started, told apart by the words and fields that show it.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { explainClaim } from './claim.ts'
import { withBelow } from './finding.ts'
import { explainPod } from './pod.ts'
import { refusalIn } from './refusal.ts'

const metadata = { name: 'web', namespace: 'shop', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
/** An object with what the case is about. */
const like = <T>(kind: string, parts: object): T => ({ apiVersion: 'v1', kind, metadata, ...parts }) as T
const event = (reason: string, message = '') => ({ reason, message, metadata: {}, involvedObject: {} }) as never

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
