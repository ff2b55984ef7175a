// What volumes have to say to where a pod may run.
import { describe, expect, it } from 'vitest'
import type { Node, Pod, Volume } from '#kinds'
import type { KubeObject } from '#objects'
import type { Cache, Index } from '#reconcile'
import { prepare, refusedBy } from '../cycle.ts'
import { podFacts } from '../pod-facts.ts'
import { Snapshot } from '../snapshot.ts'

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string =>
  namespace === undefined ? (name ?? '') : `${namespace}/${name}`

function cacheOf(objects: readonly KubeObject[]): Cache {
  const list = (kind: { readonly kind: string }) => objects.filter((one) => one.kind === kind.kind)
  return {
    get: (kind: { readonly kind: string }, key: string) => list(kind).find((one) => keyOf(one) === key),
    list,
    by: ({ kind, values }: Index<KubeObject>, key: string) => list(kind).filter((one) => values(one).includes(key)),
    ownedBy: () => [],
  } as unknown as Cache
}

const node = (name: string, zone?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone } },
  spec: {},
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
})

const pod = (name: string, volumes: readonly Volume[], nodeName?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'demo', uid: name },
  spec: { containers: [{ name: 'app', image: 'a' }], volumes, ...(nodeName === undefined ? {} : { nodeName }) },
})

const using = (...claims: readonly string[]): readonly Volume[] =>
  claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }))

const claim = (name: string, mode = 'ReadWriteOnce'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'demo', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { volumeName: `pv-${name}`, accessModes: [mode] },
  }) as unknown as KubeObject

const volume = (name: string, labels: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${name}`, labels },
    spec: { csi: { driver: 'd', volumeHandle: name } },
  }) as unknown as KubeObject

function refusals(wanted: Pod, nodes: readonly Node[], pods: readonly Pod[], objects: readonly KubeObject[]) {
  const snapshot = new Snapshot(cacheOf([...objects, ...pods]))
  for (const one of nodes) snapshot.putNode(one)
  for (const one of pods) snapshot.putPod(keyOf(one), one)
  const { filters } = prepare(podFacts(wanted), snapshot)
  return snapshot.nodes.map((one) => refusedBy(filters, one)?.refusal.reasons[0])
}

describe('volumes', () => {
  it.each<readonly [string, Record<string, string>, readonly (string | undefined)[]]>([
    ['no zone', {}, [undefined, undefined, undefined]],
    [
      'one zone',
      { 'topology.kubernetes.io/zone': 'a' },
      [undefined, 'node(s) had no available volume zone', undefined],
    ],
    [
      'two zones, by the old name',
      { 'failure-domain.beta.kubernetes.io/zone': 'a__b' },
      [undefined, undefined, undefined],
    ],
  ])('of %s', (_name, labels, expected) => {
    const nodes = [node('1', 'a'), node('2', 'b'), node('3')]
    expect(refusals(pod('p', using('c')), nodes, [], [claim('c'), volume('c', labels)])).toEqual(expected)
  })

  it('for one pod only are not shared', () => {
    const reason =
      'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod'
    const user = pod('user', using('c'), '1')
    const objects = [claim('c', 'ReadWriteOncePod'), volume('c')]
    const nodes = [node('1'), node('2')]
    expect(refusals(pod('p', using('c')), nodes, [user], objects)).toEqual([reason, reason])
    expect(refusals(pod('p', using('c')), nodes, [], objects)).toEqual([undefined, undefined])
  })

  it('of old kinds are not written by two pods of a node', () => {
    const disk = (readOnly: boolean): readonly Volume[] => [{ name: 'd', gcePersistentDisk: { pdName: 'd', readOnly } }]
    const nodes = [node('1'), node('2')]
    expect(refusals(pod('p', disk(false)), nodes, [pod('q', disk(true), '1')], [])).toEqual([
      'node(s) had no available disk',
      undefined,
    ])
    expect(refusals(pod('p', disk(true)), nodes, [pod('q', disk(true), '1')], [])).toEqual([undefined, undefined])
  })

  it('are limited in number', () => {
    const limits = (name: string, count: number): KubeObject =>
      ({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name },
        spec: { drivers: [{ name: 'd', nodeID: name, allocatable: { count } }] },
      }) as unknown as KubeObject
    const objects = ['a', 'b', 'c'].flatMap((name) => [claim(name), volume(name)])
    const nodes = [node('1'), node('2'), node('3')]
    const pods = [pod('q', using('a', 'b'), '1'), pod('r', using('a', 'b'), '2')]
    expect(refusals(pod('p', using('b', 'c')), nodes, pods, [...objects, limits('1', 2), limits('2', 3)])).toEqual([
      'node(s) exceed max volume count',
      undefined,
      undefined,
    ])
  })

  it('count as long as they are attached', () => {
    const limits: KubeObject = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: '1' },
      spec: { drivers: [{ name: 'd', nodeID: '1', allocatable: { count: 1 } }] },
    } as unknown as KubeObject
    const attached: KubeObject = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'va' },
      spec: { attacher: 'd', nodeName: '1', source: { persistentVolumeName: 'pv-a' } },
    } as unknown as KubeObject
    const objects = [claim('a'), volume('a'), claim('b'), volume('b'), limits]
    const wanted = pod('p', using('b'))
    expect(refusals(wanted, [node('1')], [], [...objects, attached])).toEqual(['node(s) exceed max volume count'])
    expect(refusals(wanted, [node('1')], [], objects)).toEqual([undefined])
  })
})
