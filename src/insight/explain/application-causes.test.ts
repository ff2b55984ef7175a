// What an Application waits for, and where a chain of findings ends.
import { describe, expect, it } from 'vitest'
import type { Application, Fault } from '#kinds'
import { explainApplication } from './application.ts'
import { below, causeOf, endsOf, type Finding, withBelow } from './finding.ts'
import { withFaults, withLoop } from './loops.ts'

const metadata = { name: 'web', namespace: 'shop', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' }
/** An object with what the case is about. */
const like = <T>(kind: string, parts: object): T => ({ apiVersion: 'v1', kind, metadata, ...parts }) as T

describe('an Application', () => {
  const app = (status: object, automated?: object) =>
    explainApplication({ object: like<Application>('Application', { spec: { syncPolicy: { automated } }, status }) })[0]
  const out = {
    sync: { status: 'OutOfSync', revision: 'r' },
    resources: [{ kind: 'A', name: 'a', status: 'OutOfSync', requiresPruning: true }],
  }
  it.each<[string, object, object | undefined, string, string]>([
    ['nobody syncs', out, undefined, 'you: automated sync is off', '1 of 1 resources'],
    ['nobody prunes', out, {}, 'you: pruning is off', 'no longer in git'],
    [
      'nobody heals',
      { ...out, operationState: { phase: 'Succeeded', syncResult: { revision: 'r' } } },
      { prune: true },
      'you: self-heal is off',
      'somebody changed',
    ],
    [
      'a window holds',
      { ...out, conditions: [{ type: 'SyncWindowWarning', message: 'deny' }] },
      {},
      'a sync window',
      'deny',
    ],
    [
      'a sync failed',
      { ...out, operationState: { phase: 'Failed', message: 'bad field' } },
      { prune: true },
      'application controller',
      'bad field',
    ],
    [
      'the repository is away',
      { conditions: [{ type: 'ComparisonError', message: 'git fetch x: ENOTFOUND' }] },
      {},
      'repository',
      'ENOTFOUND',
    ],
    [
      'the repository went away',
      {
        sync: { status: 'Synced' },
        health: { status: 'Healthy' },
        conditions: [{ type: 'RepositoryWarning', message: 'gone' }],
      },
      {},
      'repository',
      'newer commits',
    ],
    [
      'a sync is tried again',
      { operationState: { phase: 'Running', message: 'x. Retrying attempt #2 at 1PM.' } },
      {},
      'application controller',
      'tried again',
    ],
    [
      'a person is asked',
      { operationState: { phase: 'Running', message: 'waiting for pruning confirmation of /A/a' } },
      {},
      'you: it asks',
      'confirmation',
    ],
  ])('%s', (_name, status, automated, loop, gap) => {
    const finding = app(status, automated)
    expect(finding?.state).toBe('stuck')
    expect(finding?.loop).toContain(loop)
    expect(finding?.gap).toContain(gap)
  })
})

it.each([
  ['the last good revision is shown: /srv/shop: no such directory', /Bring the folder back/],
  [
    'git fetch https://git.example.com: getaddrinfo ENOTFOUND git.example.com',
    /address, the network and the credentials/,
  ],
])('a repository that cannot be read (%s) has its own advice', (message, advice) => {
  const [type, lastTransitionTime] = ['RepositoryWarning', '2026-01-01T00:00:00Z']
  const status = { sync: { status: 'Synced' }, conditions: [{ type, message, lastTransitionTime }] }
  const [finding] = explainApplication({ object: like<Application>('Application', { spec: {}, status }) })
  expect(finding?.advice).toMatch(advice)
})

describe('a chain', () => {
  const finding = (object: string, more: Partial<Finding> = {}): Finding => ({
    state: 'stuck',
    loop: 'l',
    object,
    gap: object,
    evidence: [],
    ...more,
  })
  it('has its cause where it ends, and says the same only once', () => {
    const pods = ['a', 'b', 'c'].map((name) => [finding(`Pod ${name}`, { gap: 'no node' })])
    const [head, pod, ...rest] = withBelow(finding('Deployment d', { state: 'progressing', loop: 'd' }), pods)
    expect(head).toMatchObject({ state: 'stuck', loop: 'l' })
    expect(pod).toMatchObject({ object: 'Pod a', depth: 1, evidence: ['2 more are in the same state'] })
    expect(rest).toEqual([])
    const chain = [finding('A'), ...below([[finding('B'), finding('C', { depth: 1 })], [finding('D')]])]
    expect(endsOf(chain).map(({ object }) => object)).toEqual(['C', 'D'])
    expect(causeOf(chain)?.object).toBe('C')
  })

  it('knows of its loop that it is paused or fails, and of the Fault that holds it', () => {
    const waits = finding('Deployment shop/web', { state: 'progressing', loop: 'the deployment controller' })
    const state = { name: 'deployment', paused: false, synced: true, backoff: [] }
    expect(withLoop(waits, [state])).toEqual(waits)
    expect(withLoop(waits, [{ ...state, paused: true }])).toMatchObject({
      state: 'stuck',
      gap: expect.stringContaining('is paused'),
    })
    expect(withLoop(waits, [{ ...state, synced: false }]).gap).toContain('first list')
    const failing = { ...state, backoff: [{ key: 'shop/web', failures: 4, error: 'forbidden' }] }
    expect(withLoop(waits, [failing]).evidence).toEqual(['loop deployment fails on it (4 times): forbidden'])
    const fault = {
      metadata: { name: 'f' },
      status: { phase: 'Active', type: 'nodeOffline', targets: ['node-1'] },
    } as unknown as Fault
    const onNode = finding('Pod a/b', { loop: 'kubelet on node-1' })
    expect(withFaults(onNode, [fault]).advice).toContain('kubectl delete fault f')
    expect(withFaults(finding('Pod a/b', { loop: 'kubelet on node-10' }), [fault]).advice).toBeUndefined()
  })
})
