import { describe, expect, it } from 'vitest'
import type { KubeObject } from '#objects'
import type { Pod, ResourceQuota } from '../generated/types.ts'
import { unmeasured } from './pod-usage.ts'
import { countsFor } from './scopes.ts'
import { quotaUsage, usersOf } from './usage.ts'

const pod = (spec: object): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec }) as unknown as Pod
const container = (name: string, resources: object = {}): object => ({ name, resources })

describe('quotaUsage', () => {
  it('adds containers up and takes the largest init container', () => {
    const usage = quotaUsage(
      'pods',
      pod({
        containers: [
          container('a', { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '1' } }),
          container('b', { requests: { cpu: '200m' } }),
        ],
        initContainers: [container('i', { requests: { cpu: '1' } })],
      }),
    )
    expect(usage).toEqual({
      'count/pods': 1,
      pods: 1,
      'requests.cpu': '1',
      cpu: '1',
      'requests.memory': '1Gi',
      memory: '1Gi',
      'limits.cpu': '1',
    })
  })

  it('counts what runs beside what: sidecars before them, what the pod asks for as a whole', () => {
    const sidecar = { ...container('s', { requests: { cpu: '300m' } }), restartPolicy: 'Always' }
    const containers = [container('a', { requests: { cpu: '100m' } })]
    const initContainers = [sidecar, container('i', { requests: { cpu: '200m', 'hugepages-2Mi': '4Mi' } })]
    const usage = { 'requests.cpu': '500m', 'requests.hugepages-2Mi': '4Mi', 'hugepages-2Mi': '4Mi' }
    expect(quotaUsage('pods', pod({ containers, initContainers }))).toMatchObject(usage)
    const whole = pod({ containers, initContainers, resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } })
    expect(quotaUsage('pods', whole)).toMatchObject({ 'requests.cpu': '1', 'limits.cpu': '2' })
    expect(unmeasured(whole, ['limits.memory'])).toBeUndefined()
  })

  it('does not charge for a pod that should be gone but whose node is lost', () => {
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 }
    const lost = { ...pod({ containers: [container('a')] }), metadata }
    const at = (seconds: number) => quotaUsage('pods', lost, Date.parse(metadata.deletionTimestamp) + seconds * 1000)
    expect(at(30)).toMatchObject({ 'count/pods': 1, pods: 1 })
    expect(at(31)).toEqual({ 'count/pods': 1 })
  })

  it('counts devices by class, the most that alternatives may take', () => {
    const devices = (deviceClassName: string, more: object = {}) => ({ name: 'r', deviceClassName, ...more })
    const requests = [
      { name: 'a', exactly: devices('gpu', { count: 2 }) },
      { name: 'b', firstAvailable: [devices('gpu', { count: 4 }), devices('npu', { allocationMode: 'All' })] },
    ]
    const claim = { spec: { devices: { requests } } } as unknown as KubeObject
    expect(quotaUsage('resourceclaims.resource.k8s.io', claim)).toMatchObject({
      'gpu.deviceclass.resource.k8s.io/devices': '6',
      'npu.deviceclass.resource.k8s.io/devices': '32',
    })
  })

  it('counts ports of exposed services and storage of claims by class', () => {
    const service = { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } } as unknown as KubeObject
    expect(quotaUsage('services', service)).toEqual({ 'count/services': 1, services: 1, 'services.nodeports': 2 })
    const claim = {
      spec: { storageClassName: 'fast', resources: { requests: { storage: '3Gi' } } },
    } as unknown as KubeObject
    expect(quotaUsage('persistentvolumeclaims', claim)).toMatchObject({
      persistentvolumeclaims: 1,
      'requests.storage': '3Gi',
      'fast.storageclass.storage.k8s.io/requests.storage': '3Gi',
    })
  })
})

it('names the containers that do not say what is limited', () => {
  const spec = { containers: [container('a', { limits: { cpu: '1' } }), container('b')] }
  expect(unmeasured(pod(spec), ['limits.cpu', 'pods', 'requests.memory'])).toBe(
    'must specify limits.cpu for: b; requests.memory for: a,b',
  )
  expect(unmeasured(pod(spec), ['pods'])).toBeUndefined()
})

it.each([
  ['requests.nvidia.com/gpu', 'pods'],
  ['hugepages-2Mi', 'pods'],
  ['nvidia.com/gpu', undefined],
  ['count/widgets.example.com', 'widgets.example.com'],
  ['fast.storageclass.storage.k8s.io/requests.storage', 'persistentvolumeclaims'],
  ['services.loadbalancers', 'services'],
])('%s is used by %s', (name, users) => {
  expect(usersOf(name)).toBe(users)
})

it('counts claims by the classes that they have, want or are being given', () => {
  const spec = {
    scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] }] },
  }
  const gold = { metadata: {}, spec } as unknown as ResourceQuota
  const claim = (status: object) => ({ spec: { volumeAttributesClassName: 'iron' }, status }) as unknown as KubeObject
  expect(countsFor(gold, 'persistentvolumeclaims', claim({}))).toBe(false)
  expect(countsFor(gold, 'persistentvolumeclaims', claim({ currentVolumeAttributesClassName: 'gold' }))).toBe(true)
})

it('counts only what lies in the scopes of a quota', () => {
  const quota = (spec: object): ResourceQuota => ({ metadata: {}, spec }) as unknown as ResourceQuota
  const plain = pod({ containers: [container('a')] })
  expect(countsFor(quota({ scopes: ['BestEffort'] }), 'pods', plain)).toBe(true)
  expect(countsFor(quota({ scopes: ['NotBestEffort'] }), 'pods', plain)).toBe(false)
  expect(countsFor(quota({ scopes: ['BestEffort'] }), 'services', plain)).toBe(false)
  expect(countsFor(quota({}), 'services', plain)).toBe(true)
})
