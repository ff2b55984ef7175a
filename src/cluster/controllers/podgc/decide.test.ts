import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { surplusPods } from './decide.ts'

const pod = (name: string, creationTimestamp: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, creationTimestamp },
  spec: { containers: [] },
})

describe('finished pods', () => {
  it('go oldest first when there are too many', () => {
    const pods = [pod('b', '2026-01-01T00:00:02Z'), pod('a', '2026-01-01T00:00:02Z'), pod('c', '2026-01-01T00:00:01Z')]
    expect(surplusPods(pods, 1).map(({ metadata }) => metadata.name)).toEqual(['c', 'a'])
    expect(surplusPods(pods, 3)).toEqual([])
    const evicted: Pod = { ...pod('d', '2026-01-01T00:00:09Z'), status: { phase: 'Failed', reason: 'Evicted' } }
    expect(surplusPods([...pods, evicted], 2).map(({ metadata }) => metadata.name)).toEqual(['d', 'c'])
  })
})
