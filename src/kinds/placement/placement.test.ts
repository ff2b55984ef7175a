import { describe, expect, it } from 'vitest'
import type { Container, Node, PodSpec } from '../generated/types.ts'
import { hostPortsOf, portsClash } from './host-ports.ts'
import { matchesNodeAffinity } from './node-selector.ts'
import { podRequests } from './resources.ts'
import { toleratesTaint, untoleratedTaint } from './taints.ts'

const container = (cpu?: string, more: Partial<Container> = {}): Container => ({
  name: 'c',
  image: 'i',
  ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }),
  ...more,
})

describe('podRequests', () => {
  it.each<[string, PodSpec, number]>([
    ['containers add up', { containers: [container('100m'), container('0.5')] }, 600],
    ['the largest init container counts', { containers: [container('100m')], initContainers: [container('1')] }, 1000],
    [
      'sidecars run beside what follows them',
      {
        containers: [container('100m')],
        initContainers: [container('200m', { restartPolicy: 'Always' }), container('1')],
      },
      1200,
    ],
    ['overhead is added', { containers: [container('100m')], overhead: { cpu: '10m' } }, 110],
    [
      'requests of the pod replace the sum',
      { containers: [container('100m')], resources: { requests: { cpu: '50m' } } },
      50,
    ],
  ])('%s', (_name, spec, milliCpu) => {
    expect(podRequests(spec).milliCpu).toBe(milliCpu)
  })

  it('counts containers without requests only for scores', () => {
    const { milliCpu, scoredMilliCpu, scoredMemory } = podRequests({ containers: [container(), container('300m')] })
    expect({ milliCpu, scoredMilliCpu, scoredMemory }).toEqual({
      milliCpu: 300,
      scoredMilliCpu: 400,
      scoredMemory: 2 * 200 * 1024 * 1024,
    })
  })
})

describe('matchesNodeAffinity', () => {
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a', labels: { zone: 'z1', cores: '8' } },
    spec: {},
  }
  const requiring = (
    key: string,
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt',
    ...values: string[]
  ): PodSpec => ({
    containers: [],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }],
        },
      },
    },
  })
  it.each<[string, PodSpec, boolean]>([
    ['no wish', { containers: [] }, true],
    ['nodeSelector', { containers: [], nodeSelector: { zone: 'z1' } }, true],
    ['nodeSelector of another value', { containers: [], nodeSelector: { zone: 'z2' } }, false],
    ['In', requiring('zone', 'In', 'z1', 'z2'), true],
    ['NotIn of a missing label', requiring('disk', 'NotIn', 'ssd'), true],
    ['Exists', requiring('disk', 'Exists'), false],
    ['Gt', requiring('cores', 'Gt', '4'), true],
    ['Lt of no number', requiring('zone', 'Lt', '4'), false],
  ])('%s', (_name, spec, expected) => {
    expect(matchesNodeAffinity(spec, node)).toBe(expected)
  })
})

describe('taints', () => {
  it('are tolerated by key, value and effect', () => {
    const taint = { key: 'k', value: 'v', effect: 'NoSchedule' as const }
    expect(toleratesTaint({ operator: 'Exists' }, taint)).toBe(true)
    expect(toleratesTaint({ key: 'k', value: 'v' }, taint)).toBe(true)
    expect(toleratesTaint({ key: 'k', operator: 'Exists', effect: 'NoExecute' }, taint)).toBe(false)
    expect(untoleratedTaint([taint], [{ key: 'k', value: 'w' }], ['NoSchedule'])).toBe(taint)
    expect(untoleratedTaint([taint], [], ['NoExecute'])).toBeUndefined()
  })
})

describe('host ports', () => {
  it('clash on the same address or on any', () => {
    const [a, b] = hostPortsOf({
      containers: [
        container(undefined, {
          ports: [
            { containerPort: 1, hostPort: 80 },
            { containerPort: 2, hostPort: 80, hostIP: '10.0.0.1' },
            { containerPort: 3 },
          ],
        }),
      ],
    })
    expect(a !== undefined && b !== undefined && portsClash(a, b)).toBe(true)
    expect(a !== undefined && portsClash(a, { ...a, protocol: 'UDP' })).toBe(false)
  })
})
