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

describe('several ranges of a Node', () => {
  const oneOfEach = 'spec.podCIDRs: Invalid value: [RANGES]: may specify no more than one CIDR for each IP family'
  it.each<[string, readonly string[], readonly string[]]>([
    ['are one of each family', ['10.1.0.0/24', 'fd00::/64'], []],
    ['are told where two are of one family', ['10.1.0.0/24', '10.2.0.0/24'], [oneOfEach]],
    [
      'are told where one is there twice',
      ['10.1.0.0/24', 'fd00::/64', '10.1.0.0/24'],
      [oneOfEach, 'spec.podCIDRs[2]: Duplicate value: "10.1.0.0/24"'],
    ],
    [
      'cannot be told apart where one is none',
      ['10.1.0.0/24', 'x'],
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        oneOfEach,
      ],
    ],
  ])('%s', (_name, podCIDRs, expected) => {
    const faults = nodeRules.validate?.(node({ spec: { podCIDRs } })) ?? []
    const ranges = JSON.stringify(podCIDRs).slice(1, -1)
    expect(faults.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      expected.map((text) => text.replace('RANGES', ranges)),
    )
  })
})
