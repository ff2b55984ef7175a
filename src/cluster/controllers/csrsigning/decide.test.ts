import { describe, expect, it } from 'vitest'
import type { CertificateSigningRequest } from '#kinds'
import { decideSigning } from './decide.ts'

const year = 365 * 24 * 3_600_000
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

describe('a certificate request', () => {
  it.each<readonly [string, CertificateSigningRequest, object]>([
    ['new', request([]), { type: 'nothing' }],
    ['approved', request(['Approved']), { type: 'sign', usage: 'client', validMs: year }],
    ['denied', request(['Approved', 'Denied']), { type: 'nothing' }],
    ['of a stranger', request(['Approved'], { signerName: 'example.com/x' }), { type: 'nothing' }],
    [
      'for an hour',
      request(['Approved'], { expirationSeconds: 3600 }),
      { type: 'sign', usage: 'client', validMs: 3_600_000 },
    ],
    [
      'for a kubelet',
      request(['Approved'], { signerName: 'kubernetes.io/kubelet-serving', usages: ['server auth'] }),
      { type: 'sign', usage: 'server', validMs: year },
    ],
    ['for something else', request(['Approved'], { usages: ['server auth'] }), { type: 'refuse' }],
  ])('%s', (_name, one, expected) => {
    expect(decideSigning(one)).toMatchObject(expected)
  })
})
