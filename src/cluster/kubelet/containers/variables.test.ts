import { describe, expect, it } from 'vitest'
import type { ConfigMap, Container, EnvVar, Pod, Secret } from '#kinds'
import { variablesOf } from './variables.ts'

const container: Container = {
  name: 'app',
  image: 'i',
  resources: { limits: { memory: '64Mi' }, requests: { cpu: '250m' } },
  envFrom: [{ prefix: 'CFG_', configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }],
}

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop', uid: 'u-1', labels: { 'app.kubernetes.io/name': 'web' } },
  spec: { nodeName: 'node-1', serviceAccountName: 'default', containers: [container] },
}

const settings: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings' },
  data: { mode: 'fast' },
}
const keys: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, data: { token: 'czNjcmV0' } }

const view = {
  pod,
  podIP: '10.244.0.7',
  hostIP: '192.168.0.2',
  allocatable: new Map([
    ['cpu', 2000],
    ['memory', 2 ** 30],
  ]),
  objects: {
    configMap: (key: string) => (key === 'shop/settings' ? settings : undefined),
    secret: (key: string) => (key === 'shop/keys' ? keys : undefined),
  },
}

const field = (fieldPath: string): EnvVar => ({ name: 'V', valueFrom: { fieldRef: { fieldPath } } })
const resource = (path: string, divisor?: string): EnvVar => ({
  name: 'V',
  valueFrom: { resourceFieldRef: { resource: path, ...(divisor === undefined ? {} : { divisor }) } },
})

describe('variablesOf', () => {
  it.each<[string, readonly EnvVar[], string | undefined]>([
    ['a value', [{ name: 'V', value: 'x' }], 'x'],
    [
      'another variable in it',
      [
        { name: 'A', value: 'a' },
        { name: 'V', value: '$(A)-$(B)-$$(A)' },
      ],
      'a-$(B)-$(A)',
    ],
    ['one of envFrom in it', [{ name: 'V', value: '$(CFG_mode)/$(token)' }], 'fast/s3cret'],
    ['a name', [field('metadata.name')], 'web-0'],
    ['a label', [field("metadata.labels['app.kubernetes.io/name']")], 'web'],
    ['the node', [field('spec.nodeName')], 'node-1'],
    ['the address', [field('status.podIP')], '10.244.0.7'],
    ['a limit', [resource('limits.memory', '1Mi')], '64'],
    ['a limit that the node sets', [resource('limits.cpu')], '2'],
    ['a request, rounded up', [resource('requests.cpu')], '1'],
    ['a request in thousandths', [resource('requests.cpu', '1m')], '250'],
    ['a key', [{ name: 'V', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } }], 'fast'],
    ['a secret key', [{ name: 'V', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } }], 's3cret'],
    ['a key that is not there', [{ name: 'V', valueFrom: { secretKeyRef: { name: 'keys', key: 'no' } } }], undefined],
  ])('%s', (_name, env, expected) => {
    expect(variablesOf({ ...container, env }, view).get('V')).toBe(expected)
  })
})
