import { describe, expect, it } from 'vitest'
import type { ConfigMap, Container, Pod, Secret, Volume } from '#kinds'
import { environmentFault, type Objects, volumeFaults } from './environment.ts'

const objects: Objects = {
  configMap: (key) =>
    key === 'demo/present' ? ({ kind: 'ConfigMap', data: { a: '1' } } as unknown as ConfigMap) : undefined,
  secret: (key) =>
    key === 'demo/spresent' ? ({ kind: 'Secret', data: { a: 'MQ==' } } as unknown as Secret) : undefined,
}

const pod = (volumes: readonly Volume[] = []): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo' },
  spec: { containers: [], volumes },
})

describe('environmentFault', () => {
  it.each<[string, Partial<Container>, string | undefined]>([
    ['plain values', { env: [{ name: 'A', value: '1' }] }, undefined],
    [
      'a key that is there',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'present', key: 'a' } } }] },
      undefined,
    ],
    [
      'a missing ConfigMap',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'late-env', key: 'a' } } }] },
      'configmap "late-env" not found',
    ],
    [
      'a missing key of a Secret',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'spresent', key: 'zzz' } } }] },
      "couldn't find key zzz in Secret demo/spresent",
    ],
    [
      'an optional one',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'x', key: 'y', optional: true } } }] },
      undefined,
    ],
    ['envFrom', { envFrom: [{ secretRef: { name: 'absent' } }] }, 'secret "absent" not found'],
  ])('%s', (_name, more, expected) => {
    expect(environmentFault({ name: 'app', image: 'i', ...more }, pod(), objects)).toBe(expected)
  })
})

describe('volumeFaults', () => {
  it.each<[string, Volume, string | undefined]>([
    ['a ConfigMap', { name: 'v', configMap: { name: 'present' } }, undefined],
    ['an optional ConfigMap', { name: 'v', configMap: { name: 'absent', optional: true } }, undefined],
    ['a missing Secret', { name: 'v', secret: { secretName: 'absent' } }, 'secret "absent" not found'],
    [
      'a missing key',
      { name: 'v', configMap: { name: 'present', items: [{ key: 'zzz', path: 'z' }] } },
      'configmap references non-existent config key: zzz',
    ],
    [
      'two missing sources',
      { name: 'v', projected: { sources: [{ configMap: { name: 'absent' } }, { secret: { name: 'absent2' } }] } },
      '[configmap "absent" not found, secret "absent2" not found]',
    ],
  ])('%s', (_name, volume, expected) => {
    const message =
      expected === undefined ? [] : [{ volume: 'v', message: `MountVolume.SetUp failed for volume "v" : ${expected}` }]
    expect(volumeFaults(pod([volume]), objects)).toEqual(message)
  })
})
