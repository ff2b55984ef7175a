// Claims that only one pod may use at a time.
import { describe, expect, it } from 'vitest'
import type { Pod } from '#kinds'
import {
  bound,
  claim,
  five,
  noVictims,
  pod,
  type Scene,
  using,
  verdict,
  volume,
} from '../../../../test/support/scheduling-scene.ts'

describe('VolumeRestrictions', () => {
  it.each<readonly [string, Pod, Scene, string]>([
    [
      'a claim for one pod only',
      pod('p', using('c')),
      {
        nodes: five.slice(0, 2),
        pods: [pod('q', { ...using('c'), nodeName: 'node-0' })],
        objects: [
          claim('c', { spec: { volumeName: 'pv', accessModes: ['ReadWriteOncePod'] }, annotations: bound }),
          volume('pv'),
        ],
      },
      `0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod.${noVictims(2)}`,
    ],
    [
      'a claim for one pod only, which is less important',
      pod('p', { ...using('c'), priority: 5 }),
      {
        nodes: five.slice(0, 2),
        pods: [pod('q', { ...using('c'), nodeName: 'node-1' })],
        objects: [
          claim('c', { spec: { volumeName: 'pv', accessModes: ['ReadWriteOncePod'] }, annotations: bound }),
          volume('pv'),
        ],
      },
      'makes room on node-1',
    ],
  ])('%s', (_name, wanted, scene, expected) => {
    expect(verdict(wanted, scene)).toBe(expected)
  })
})
