import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import { decideStandin } from './standin.ts'

const now = Date.parse('2026-01-01T00:00:10Z')

const pod = (
  restartPolicy: 'Always' | 'Never',
  command: readonly string[],
  status: Pod['status'] = { phase: 'Pending' },
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo', uid: 'u' },
  spec: { restartPolicy, containers: [{ name: 'app', image: 'app', command }] },
  status,
})

const begun = { phase: 'Running', startTime: '2026-01-01T00:00:08Z' } as const

describe('decideStandin', () => {
  it('runs pods at once, and lets jobs end 1.5 s later', () => {
    expect(decideStandin(pod('Always', []), now)).toMatchObject({ status: { phase: 'Running', hostIP: '10.0.0.1' } })
    expect(decideStandin(pod('Never', []), now)).toMatchObject({ status: { phase: 'Running' }, wakeAfterMs: 1500 })
    expect(decideStandin(pod('Never', [], begun), now)).toMatchObject({ status: { phase: 'Succeeded' } })
    expect(decideStandin(pod('Never', ['sh', '-c', 'exit 3'], begun), now)).toMatchObject({
      status: { phase: 'Failed' },
    })
    expect(decideStandin(pod('Never', ['pause'], begun), now)).toEqual({})
  })
})
