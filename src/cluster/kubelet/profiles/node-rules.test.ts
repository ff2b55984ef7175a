import { describe, expect, it } from 'vitest'
import type { NodeProfile, NodeProfileSpec, Pod } from '#kinds'
import { nodeRules, rulesOfPod } from './node-rules.ts'

const profile = (name: string, spec: NodeProfileSpec): NodeProfile => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'NodeProfile',
  metadata: { name },
  spec,
})

const rules = nodeRules([
  profile('first', { usage: { memory: [] }, csiDrivers: [{ name: 'disk.example.com' }], imagefsCapacity: '10Gi' }),
  profile('second', {
    usage: { memory: [], pids: [] },
    evictionHard: {},
    staticPods: [{ metadata: { name: 'etcd' } }],
  }),
])

const pod = (spec: Partial<Pod['spec']>, rest: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'demo' },
  spec: { containers: [{ name: 'app', image: 'nginx' }], nodeName: 'node-0', ...spec },
  ...rest,
})

const fieldsFor = (one: Pod): readonly string[] => rulesOfPod(one, rules).map(({ field }) => field)
const evicted = (message: string): Pod => pod({}, { status: { phase: 'Failed', reason: 'Evicted', message } })

describe('the rules of a node', () => {
  it('come from the first profile that says something', () => {
    expect(rules.map(({ field, rule }) => `${field} by ${rule}`)).toEqual([
      'csiDrivers.disk.example.com by NodeProfile first',
      'usage.memory by NodeProfile first',
      'imagefsCapacity by NodeProfile first',
      'staticPods.etcd by NodeProfile second',
      'usage.pids by NodeProfile second',
      'evictionHard by NodeProfile second',
    ])
  })

  it.each<[string, Pod, readonly string[]]>([
    ['nothing of an ordinary pod', pod({}), []],
    [
      'a driver that it uses',
      pod({ volumes: [{ name: 'v', csi: { driver: 'disk.example.com' } }] }),
      ['csiDrivers.disk.example.com'],
    ],
    [
      'a static pod',
      pod({}, { metadata: { name: 'etcd-node-0', annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      ['staticPods.etcd'],
    ],
    ['an eviction', evicted('The node was low on resource: pids. Threshold'), ['usage.pids', 'evictionHard']],
    [
      'that it was not let in',
      evicted('Pod was rejected: The node had condition: [MemoryPressure]. '),
      ['usage.memory', 'imagefsCapacity', 'usage.pids', 'evictionHard'],
    ],
    ['no eviction for its own limits', evicted('Container app exceeded its local ephemeral storage limit "1Mi". '), []],
  ])('have a say in %s', (_name, one, fields) => {
    expect(fieldsFor(one)).toEqual(fields)
  })
})
