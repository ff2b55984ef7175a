import { describe, expect, it } from 'vitest'
import type { CertificateSigningRequest } from '#kinds'
import type { RequestedIdentity } from '../certificate-requests.ts'
import { decideSigning, isToBeSigned } from './decide.ts'

const year = 365 * 24 * 3_600_000
const client = ['client auth', 'digital signature'] as const
const server = ['server auth', 'digital signature', 'key encipherment'] as const
const request = (
  conditions: readonly string[],
  spec: Partial<CertificateSigningRequest['spec']> = {},
): CertificateSigningRequest => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'r' },
  spec: { request: '', signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'], ...spec },
  status: { conditions: conditions.map((type) => ({ type, status: 'True' })) },
})
const node = (change: Partial<RequestedIdentity> = {}): RequestedIdentity => ({
  commonName: 'system:node:a',
  organizations: ['system:nodes'],
  dnsNames: [],
  emails: [],
  addresses: [],
  uris: [],
  ...change,
})

describe('a certificate request', () => {
  it.each<readonly [string, CertificateSigningRequest, boolean]>([
    ['new', request([]), false],
    ['approved', request(['Approved']), true],
    ['denied', request(['Approved', 'Denied']), false],
    ['failed', request(['Approved', 'Failed']), false],
    ['of a stranger', request(['Approved'], { signerName: 'example.com/x' }), false],
  ])('%s', (_name, one, expected) => {
    expect(isToBeSigned(one)).toBe(expected)
  })

  const kubelet = { signerName: 'kubernetes.io/kube-apiserver-client-kubelet', usages: client }
  const serving = { signerName: 'kubernetes.io/kubelet-serving', usages: server }
  it.each<readonly [string, Partial<CertificateSigningRequest['spec']>, RequestedIdentity, object]>([
    ['as usual', {}, node(), { type: 'sign', validMs: year }],
    ['for an hour', { expirationSeconds: 3600 }, node(), { type: 'sign', validMs: 3_600_000 }],
    ['for a kubelet', kubelet, node(), { type: 'sign' }],
    ['for a kubelet that serves', serving, node({ dnsNames: ['a'] }), { type: 'sign' }],
    ['to serve', { usages: ['server auth'] }, node(), { message: 'invalid usage for client certificate: server auth' }],
    [
      'for nothing',
      { usages: ['digital signature'] },
      node(),
      { message: 'missing required usage for client certificate: client auth' },
    ],
    ['for others', kubelet, node({ organizations: ['x'] }), { message: 'subject organization is not system:nodes' }],
    ['with names', kubelet, node({ dnsNames: ['a'] }), { message: 'DNS subjectAltNames are not allowed' }],
    [
      'for no node',
      kubelet,
      node({ commonName: 'a' }),
      { message: 'subject common name does not begin with system:node:' },
    ],
    [
      'for more',
      { ...kubelet, usages: [...client, 'any'] },
      node(),
      { message: 'usages did not match [client auth digital signature key encipherment]' },
    ],
    ['without names', serving, node(), { message: 'DNS or IP subjectAltName is required' }],
  ])('%s', (_name, spec, identity, expected) => {
    expect(decideSigning(request(['Approved'], spec), identity)).toMatchObject(expected)
  })
})
