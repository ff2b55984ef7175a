// Certificate requests, over a real API server; the signature itself is handed in.
import { expect, it } from 'vitest'
import { certificateSigner } from '#controllers'
import { CertificateSigningRequest } from '#kinds'
import { startCluster } from './cluster.ts'

const pem = '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n'

it('an approved request gets its certificate, another one does not', async () => {
  const certificate = '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n'
  const cluster = await startCluster({ nodes: 1, extraLoops: [certificateSigner(async () => certificate)] })
  for (const name of ['yes', 'no'])
    await cluster.client.create(CertificateSigningRequest, {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name },
      spec: { request: btoa(pem), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    })
  const find = (name: string) => cluster.client.get(CertificateSigningRequest, { name })
  const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' }
  const request = { ...(await find('yes')), status: { conditions: [approved] } }
  await cluster.client.update(CertificateSigningRequest, request, { subresource: 'approval' })
  await cluster.until(async () => (await find('yes')).status?.certificate !== undefined)
  expect(atob((await find('yes')).status?.certificate ?? '')).toBe(certificate)
  expect((await find('no')).status?.certificate).toBeUndefined()
  await cluster.stop()
})
