import { describe, expect, it } from 'vitest'
import type { Node, Service } from '#kinds'
import { hostsOf, needsUpdate } from './changes.ts'

const service = (spec: Partial<NonNullable<Service['spec']>> = {}, labels: Record<string, string> = {}): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'default', labels },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
})

describe('a load balancer', () => {
  it.each<readonly [string, Service, boolean]>([
    ['is not made anew for nothing', service(), false],
    ['nor for labels', service({}, { team: 'web' }), false],
    ['nor for other pods', service({ selector: { app: 'b' } }), false],
    ['is for another port', service({ ports: [{ port: 81 }] }), true],
    ['for affinity', service({ sessionAffinity: 'ClientIP' }), true],
    ['for who may come', service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }), true],
    ['for where it sends to', service({ externalTrafficPolicy: 'Local' }), true],
  ])('%s', (_, now, anew) => {
    expect(needsUpdate(service(), now)).toBe(anew)
  })

  it('sends to nodes that are to have traffic', () => {
    const label = 'node.kubernetes.io/exclude-from-external-load-balancers'
    const node = (name: string, metadata: Partial<Node['metadata']> = {}, spec: Node['spec'] = {}): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, ...metadata },
      spec,
    })
    const nodes = [
      node('b'),
      node('a', {}, { providerID: 'cloud://a' }),
      node('kept', { labels: { [label]: 'false' } }),
      node('excluded', { labels: { [label]: '' } }),
      node('leaving', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      node('shrunk', {}, { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] }),
    ]
    expect(hostsOf(nodes)).toEqual(['a cloud://a', 'b ', 'kept '])
  })
})
