import { describe, expect, it } from 'vitest'
import type { Node, NodeSpec } from '../generated/types.ts'
import { nodeRules } from './index.ts'

const node = (parts: Pick<Node, 'spec'> & { readonly status?: Node['status'] & object }): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n' },
  ...parts,
})

const badTaint = node({ spec: { taints: [{ key: 'a', effect: 'No' as 'NoExecute' }] } })
const fault =
  'metadata.taints[0].effect: Unsupported value: "No": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'

it.each(['validate', 'validateUpdate', 'validateStatusUpdate'] as const)('%s finds bad taints', (rule) => {
  const faults = nodeRules[rule]?.(badTaint, node({ spec: {} }))
  expect(faults?.map(({ field, message }) => `${field}: ${message}`)).toEqual(
    Array<string>(rule === 'validateUpdate' ? 2 : 1).fill(fault),
  )
})

it('does not keep how a kubelet is to be configured', () => {
  const given = node({ spec: { configSource: {} }, status: { config: {}, phase: 'Running' } })
  expect(nodeRules.prepareForCreate?.(given)).toEqual(node({ spec: {}, status: { phase: 'Running' } }))
})

describe('ranges of a Node', () => {
  it.each<[string, NodeSpec, NodeSpec]>([
    ['one makes a list', { podCIDR: '10.1.0.0/24' }, { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }],
    ['a list has a first', { podCIDRs: ['10.1.0.0/24'] }, { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] }],
    [
      'the single one counts where they differ',
      { podCIDR: '10.2.0.0/24', podCIDRs: ['10.1.0.0/24', 'fd00::/64'] },
      { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] },
    ],
    ['there are none', { unschedulable: true }, { unschedulable: true }],
  ])('%s', (_name, spec, expected) => {
    expect(nodeRules.defaults?.(node({ spec })).spec).toEqual(expected)
  })
})
