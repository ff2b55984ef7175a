import { describe, expect, it } from 'vitest'
import type { KubeObject } from '#objects'
import type { Pod, ResourceQuota } from '../generated/types.ts'
import { countsFor, quotaUsage, unmeasured } from './usage.ts'

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

it('counts only what lies in the scopes of a quota', () => {
  const quota = (spec: object): ResourceQuota => ({ metadata: {}, spec }) as unknown as ResourceQuota
  const plain = pod({ containers: [container('a')] })
  expect(countsFor(quota({ scopes: ['BestEffort'] }), 'pods', plain)).toBe(true)
  expect(countsFor(quota({ scopes: ['NotBestEffort'] }), 'pods', plain)).toBe(false)
  expect(countsFor(quota({ scopes: ['BestEffort'] }), 'services', plain)).toBe(false)
  expect(countsFor(quota({}), 'services', plain)).toBe(true)
})
