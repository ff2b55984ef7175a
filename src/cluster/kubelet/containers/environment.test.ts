import { describe, expect, it } from 'vitest'
import type { ConfigMap, Container, Pod, Secret } from '#kinds'
import { environmentFault, type Objects } from './environment.ts'

const objects: Objects = {
  configMap: (key) =>
    key === 'demo/present'
      ? ({ kind: 'ConfigMap', data: { a: '1' }, binaryData: { bytes: 'AA==' } } as unknown as ConfigMap)
      : undefined,
  secret: (key) =>
    key === 'demo/spresent' ? ({ kind: 'Secret', data: { a: 'MQ==' } } as unknown as Secret) : undefined,
}

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'demo' },
  spec: { containers: [], initContainers: [{ name: 'init' }] },
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
    [
      'a key that holds bytes',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'present', key: 'bytes' } } }] },
      "couldn't find key bytes in ConfigMap demo/present",
    ],
    [
      'resources of an init container',
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { containerName: 'init', resource: 'limits.cpu' } } }] },
      undefined,
    ],
    [
      'resources of a container that is not there',
      { env: [{ name: 'A', valueFrom: { resourceFieldRef: { containerName: 'nope', resource: 'limits.cpu' } } }] },
      'container nope not found',
    ],
    ['envFrom', { envFrom: [{ secretRef: { name: 'absent' } }] }, 'secret "absent" not found'],
  ])('%s', (_name, more, expected) => {
    expect(environmentFault({ name: 'app', image: 'i', ...more }, pod, objects)).toBe(expected)
  })
})
