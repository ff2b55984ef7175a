import { describe, expect, it } from 'vitest'
import type { ConfigMap, Container, Pod, Secret } from '#kinds'
import { environmentFault, type Objects } from './environment.ts'

const objects: Objects = {
  configMap: (key) =>
    key === 'demo/present' ? ({ kind: 'ConfigMap', data: { a: '1' } } as unknown as ConfigMap) : undefined,
  secret: (key) =>
    key === 'demo/spresent' ? ({ kind: 'Secret', data: { a: 'MQ==' } } as unknown as Secret) : undefined,
}

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo' },
  spec: { containers: [] },
}

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
    expect(environmentFault({ name: 'app', image: 'i', ...more }, pod, objects)).toBe(expected)
  })
})
