import { describe, expect, it } from 'vitest'
import type { Pod, Taint, Toleration } from '#kinds'
import { decideStay } from './decide.ts'

const pod = (...tolerations: readonly Toleration[]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {},
  spec: { containers: [], tolerations },
})
const taint = (key: string, timeAdded?: string): Taint => ({
  key,
  effect: 'NoExecute',
  ...(timeAdded === undefined ? {} : { timeAdded }),
})
const tolerates = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
})

describe('how long a pod stays on a tainted node', () => {
  it.each<readonly [string, Pod, readonly Taint[], object]>([
    ['without taints', pod(), [], { type: 'forever' }],
    ['without a toleration', pod(), [taint('a')], { type: 'leaves' }],
    ['with a toleration without limit', pod(tolerates('a')), [taint('a')], { type: 'forever' }],
    ['with a limit', pod(tolerates('a', 300)), [taint('a')], { type: 'limited', seconds: 300 }],
    [
      'with the shortest limit',
      pod(tolerates('a', 300), tolerates('b', 5)),
      [taint('a'), taint('b')],
      { type: 'limited', seconds: 5 },
    ],
    ['when one taint is not tolerated', pod(tolerates('a')), [taint('a'), taint('b')], { type: 'leaves' }],
    [
      'counted from when the taint came',
      pod(tolerates('a', 300)),
      [taint('a', '2026-01-01T00:00:00Z')],
      { type: 'limited', seconds: 300, since: Date.parse('2026-01-01T00:00:00Z') },
    ],
    [
      'counted from when the pod came, to a node that was tainted before',
      {
        ...pod(tolerates('a', 300)),
        status: {
          conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-01T00:10:00Z' }],
        },
      },
      [taint('a', '2026-01-01T00:00:00Z')],
      { type: 'limited', seconds: 300, since: Date.parse('2026-01-01T00:10:00Z') },
    ],
  ])('%s', (_, of, taints, stay) => {
    expect(decideStay(of, taints)).toEqual(stay)
  })
})
