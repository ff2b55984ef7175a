import { describe, expect, it } from 'vitest'
import type { ApiRequest } from '#api'
import { Fault, type FaultSpec, type FaultStatus, type Kind, type Node, Pod, ReplicaSet } from '#kinds'
import { done, type LoopDefinition, watching } from '#reconcile'
import { isHit, rateOf } from './api-errors.ts'
import { decideHeld, type Surveyed, targetsOf, typesOf } from './decide.ts'
import { nextKillAt, victimsOf } from './kills.ts'

const fault = (spec: FaultSpec, status?: FaultStatus, metadata: object = {}): Fault => ({
  apiVersion: 'lab.homeostat.dev/v1alpha1',
  kind: 'Fault',
  metadata: { name: 'f', generation: 1, ...metadata },
  spec,
  ...(status === undefined ? {} : { status }),
})

const loop = (name: string, kind: Kind): LoopDefinition => ({
  name,
  user: name,
  manager: name,
  watches: [watching(kind, () => [])],
  workers: 1,
  reconcile: async () => done(),
})

const node = (name: string, labels: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: {},
})

const surveyed = (...faults: readonly Fault[]): Surveyed => ({
  faults,
  nodes: [node('a-1', { rack: 'a' }), node('b-1', { rack: 'b' })],
  nodeNames: ['a-1', 'a-2', 'b-1'],
  loops: [loop('replicaset', ReplicaSet), loop('kubelet', Pod), loop('faults', Fault)],
  kinds: [ReplicaSet, Pod, Fault],
})

describe('what Faults hold', () => {
  it.each<[string, FaultSpec, readonly string[]]>([
    ['nodes by name', { nodeOffline: { nodes: ['a-*'] } }, ['a-1', 'a-2']],
    ['nodes by label', { nodeOffline: { nodeSelector: { matchLabels: { rack: 'b' } } } }, ['b-1']],
    ['all nodes', { nodeOffline: {} }, ['a-1', 'a-2', 'b-1']],
    ['loops, but not their own', { loopPaused: { loops: ['*'] } }, ['replicaset', 'kubelet']],
    ['what a loop watches', { watchLost: { loops: ['kube*'] } }, ['pods']],
    [
      'kinds by any of their names',
      { watchLost: { kinds: ['replicasets.apps', 'Pod'] } },
      ['replicasets.apps', 'pods'],
    ],
    ['all watches but their own', { watchLost: {} }, ['replicasets.apps', 'pods']],
    ['requests', { apiErrors: { resources: ['pods'] } }, ['pods']],
    ['registries', { registryDown: {} }, ['*']],
  ])('%s', (_name, spec, targets) => {
    expect(targetsOf(fault(spec), surveyed())).toEqual(targets)
  })

  it('is the sum of them, without those that are being deleted', () => {
    const held = decideHeld(
      surveyed(
        fault({ loopPaused: { loops: ['replicaset'] } }),
        fault({ loopPaused: { loops: ['kubelet'] } }, undefined, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
        fault({ registryDown: { hosts: ['docker.io'] }, apiErrors: { code: 503 } }),
      ),
    )
    expect([...held.pausedLoops]).toEqual(['replicaset'])
    expect(held.outages).toEqual([{ error: 'unreachable', hosts: ['docker.io'] }])
    expect(held.apiErrors).toEqual([{ code: 503, fault: 'f' }])
  })

  it('keeps a selected node whose object is gone', () => {
    const spec: FaultSpec = { nodeOffline: { nodeSelector: { matchLabels: { rack: 'a' } } } }
    expect(targetsOf(fault(spec, { observedGeneration: 1, targets: ['a-2'] }), surveyed())).toEqual(['a-1', 'a-2'])
    expect(targetsOf(fault(spec, { observedGeneration: 0, targets: ['a-2'] }), surveyed())).toEqual(['a-1'])
  })

  it('has names', () => {
    expect(typesOf({ description: 'x', watchLost: {}, apiErrors: {} })).toEqual(['watchLost', 'apiErrors'])
  })
})

const request = (over: Partial<ApiRequest>): ApiRequest => ({
  verb: 'create',
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  namespace: 'shop',
  caller: { user: 'kubernetes-admin', groups: [], userAgent: 'kubectl' },
  ...over,
})
const faults = { group: 'lab.homeostat.dev', version: 'v1alpha1', resource: 'faults' }

describe('which requests are hit', () => {
  it.each<[string, NonNullable<FaultSpec['apiErrors']>, Partial<ApiRequest>, boolean]>([
    ['all', {}, {}, true],
    ['by verb', { verbs: ['update'] }, {}, false],
    ['by resource', { resources: ['deployments'] }, {}, true],
    ['by resource and group', { resources: ['deployments.apps'] }, {}, true],
    ['a subresource is another', { resources: ['deployments'] }, { subresource: 'status' }, false],
    ['by subresource', { resources: ['*/status'] }, { subresource: 'status' }, true],
    ['by namespace', { namespaces: ['shop-*'] }, {}, false],
    ['by user', { users: ['system:*'] }, {}, false],
    ['never Faults', {}, { resource: faults }, false],
    ['never Faults, whatever is asked for', { resources: ['*'] }, { resource: faults, verb: 'delete' }, false],
  ])('%s', (_name, errors, over, hit) => {
    expect(isHit(request(over), errors)).toBe(hit)
  })

  it('never discovery', () => {
    const { resource: _resource, ...path } = request({ path: '/apis' })
    expect(isHit(path, {})).toBe(false)
  })

  it.each([
    [{}, 1],
    [{ rate: 0.5 }, 0.5],
    [{ latencySeconds: 1 }, 0],
    [{ latencySeconds: 1, code: 503 }, 1],
  ])('%j: share %d', (errors, rate) => {
    expect(rateOf(errors)).toBe(rate)
  })
})

describe('kills', () => {
  const now = Date.parse('2026-01-01T00:01:00Z')
  const lastKillTime = '2026-01-01T00:00:50Z'
  it.each<[string, FaultSpec, FaultStatus | undefined, number | undefined]>([
    ['at once', { containerKilled: {} }, undefined, now],
    ['once', { containerKilled: {} }, { lastKillTime }, undefined],
    ['again', { containerKilled: { everySeconds: 30 } }, { lastKillTime }, now + 20_000],
  ])('%s', (_name, spec, status, at) => {
    expect(nextKillAt(fault(spec, status), now)).toBe(at)
  })

  it('hit running containers that match', () => {
    const running = (name: string) => ({
      name,
      ready: true,
      restartCount: 0,
      image: '',
      imageID: '',
      state: { running: {} },
    })
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
      spec: { containers: [] },
      status: {
        containerStatuses: [
          running('app'),
          running('proxy'),
          { ...running('gone'), state: { terminated: { exitCode: 0 } } },
        ],
      },
    }
    const names = (killed: object): readonly string[] => victimsOf(killed, [pod]).map(({ container }) => container)
    expect(names({})).toEqual(['app', 'proxy'])
    expect(names({ containers: ['a*'], podSelector: { matchLabels: { app: 'web' } } })).toEqual(['app'])
    expect(names({ namespaces: ['other'] })).toEqual([])
    expect(names({ podSelector: { matchLabels: { app: 'api' } } })).toEqual([])
  })
})
