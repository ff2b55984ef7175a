import { expect, it } from 'vitest'
import type { Node } from '../generated/types.ts'
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
