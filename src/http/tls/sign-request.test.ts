import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '@peculiar/x509'
import { expect, it } from 'vitest'
import { issueAuthority } from './issue.ts'
import { readRequest, signRequest } from './sign-request.ts'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

it('signs what was asked for, with the subject and names of the request', async () => {
  const authority = await issueAuthority('test')
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const asked = await Pkcs10CertificateRequestGenerator.create(
    {
      name: 'CN=jane,O=readers',
      keys: keys as never,
      signingAlgorithm: algorithm,
      extensions: [
        new SubjectAlternativeNameExtension([
          { type: 'dns', value: 'node-0' },
          { type: 'ip', value: '10.0.0.1' },
        ]),
      ],
    },
    webcrypto as never,
  )
  const usages = ['client auth', 'digital signature', 'key encipherment']
  const pem = await signRequest(authority, { request: asked.toString('pem'), usages, validMs: 3_600_000 })
  const certificate = new X509Certificate(pem)
  expect(certificate.verify(new X509Certificate(authority.certificatePem).publicKey)).toBe(true)
  expect(certificate.subject).toContain('CN=jane')
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
  expect(certificate.ca).toBe(false)
  // Short ones are not shortened by what they are dated back.
  expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(65 * 60_000)
  expect(certificate.subjectAltName).toBe('DNS:node-0, IP Address:10.0.0.1')
  expect(await readRequest(asked.toString('pem'))).toEqual({
    commonName: 'jane',
    organizations: ['readers'],
    dnsNames: ['node-0'],
    emails: [],
    addresses: ['10.0.0.1'],
    uris: [],
  })
  await expect(signRequest(authority, { request: 'nonsense', usages: [], validMs: 1 })).rejects.toThrow()
})
