import { describe, expect, it } from 'vitest'
import { Deployment, type Kind, Pod, type ResourceQuota, Service } from '#kinds'
import type { KubeObject } from '#objects'
import { decideQuota } from './decide.ts'

const quota = (hard: Record<string, string>, status?: ResourceQuota['status']): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'default' },
  spec: { hard },
  ...(status === undefined ? {} : { status }),
})

const pod = (cpu: string, phase: 'Running' | 'Succeeded' = 'Running'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {},
  spec: { containers: [{ name: 'a', resources: { requests: { cpu } } }] },
  status: { phase },
})

const service = (type: 'ClusterIP' | 'NodePort'): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {},
  spec: { type, ports: [{ port: 80 }, { port: 81 }] },
})

const objects: readonly (readonly [Kind, readonly KubeObject[]])[] = [
  [Pod, [pod('500m'), pod('1'), pod('2', 'Succeeded')]],
  [Service, [service('ClusterIP'), service('NodePort')]],
  [Deployment, [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {} }]],
]
const inventory = {
  list: (kind: Kind) => objects.find(([of]) => of === kind)?.[1] ?? [],
  kindNamed: (resource: string) =>
    ({ pods: Pod, services: Service, 'deployments.apps': Deployment })[resource] as Kind | undefined,
  now: 0,
}

describe('a quota', () => {
  it('adds up what the objects of its namespace use', () => {
    const hard = {
      pods: '5',
      'requests.cpu': '4',
      services: '3',
      'services.nodeports': '2',
      'count/deployments.apps': '1',
      'limits.memory': '1Gi',
      // Nothing can use these.
      'example.com/thing': '1',
      'count/widgets.example.com': '1',
    }
    const status = decideQuota(quota(hard), inventory)
    expect(status.hard).toEqual(hard)
    expect(status.used).toEqual({
      pods: '2',
      'requests.cpu': '1500m',
      services: '2',
      'services.nodeports': '2',
      'count/deployments.apps': '1',
      'limits.memory': '0',
    })
    expect(decideQuota(quota(hard, status), inventory)).toBe(status)
  })
})
