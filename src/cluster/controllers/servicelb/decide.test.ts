import { describe, expect, it } from 'vitest'
import type { Service } from '#kinds'
import { cleanup, decideBalancer } from './decide.ts'

interface Traits {
  readonly type?: NonNullable<Service['spec']>['type']
  readonly made?: boolean
  readonly address?: boolean
  readonly going?: boolean
  readonly balancerClass?: string
}

const service = ({ type = 'LoadBalancer', made, address, going, balancerClass }: Traits): Service => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 's',
    ...(made === true ? { finalizers: [cleanup] } : {}),
    ...(going === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  },
  spec: { type, ...(balancerClass === undefined ? {} : { loadBalancerClass: balancerClass }) },
  status: { loadBalancer: address === true ? { ingress: [{ ip: '172.31.0.1', ipMode: 'VIP' }] } : {} },
})

describe('a Service', () => {
  it.each<readonly [string, Traits, string]>([
    ['new', {}, 'begin'],
    ['begun', { made: true }, 'provide'],
    ['served', { made: true, address: true }, 'keep'],
    ['of another type', { type: 'ClusterIP' }, 'nothing'],
    ['no longer of that type', { type: 'NodePort', made: true }, 'takeDown'],
    ['deleted', { made: true, address: true, going: true }, 'takeDown'],
    ['of another class', { balancerClass: 'example.com/lb' }, 'nothing'],
  ])('%s: %s → %s', (_name, traits, type) => {
    expect(decideBalancer(service(traits)).type).toBe(type)
  })
})
