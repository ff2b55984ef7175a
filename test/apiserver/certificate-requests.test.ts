// What the server finds in certificate requests and in what their signers put into their status.

import { beforeEach, describe, expect, it } from 'vitest'
import type { ApiError } from '#api'
import { CertificateSigningRequest } from '#kinds'
import { certificatePem, requestPem } from '../support/certificates.ts'
import { certificateRequest } from './certificate-requests.ts'
import { startServer, type TestServer } from './server.ts'

let server: TestServer
beforeEach(() => {
  server = startServer()
})

const asking = (request: string, spec: object = {}): CertificateSigningRequest =>
  ({
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r' },
    spec: { request: btoa(request), signerName: 'example.com/s', usages: ['client auth'], ...spec },
  }) as unknown as CertificateSigningRequest

const faultsOf = (answer: Promise<unknown>): Promise<readonly string[]> =>
  answer.then(
    () => [],
    (error: ApiError) => (error.toStatus().details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`),
  )

const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')
const framed = (type: string, der: Buffer): string =>
  `-----BEGIN ${type}-----\n${der.toString('base64')}\n-----END ${type}-----\n`
/** With one byte changed, so many from the end. */
const changed = (pem: string, fromEnd: number): string => {
  const der = derOf(pem)
  der[der.length - fromEnd] = (der[der.length - fromEnd] ?? 0) ^ 1
  return framed('CERTIFICATE REQUEST', der)
}

describe('spec.request', () => {
  const ofRequest = async (request: string): Promise<string | undefined> => {
    const [fault] = await faultsOf(server.client.create(CertificateSigningRequest, asking(request)))
    return fault?.replace(/^spec.request: Invalid value: "[^"]*": /, '')
  }

  it.each<readonly [string, string, string | undefined]>([
    ['a request', requestPem, undefined],
    ['a request with text around it', `about it\n${requestPem}the end`, undefined],
    ['with Windows line ends', requestPem.replaceAll('\n', '\r\n'), undefined],
    ['no PEM', 'nonsense', 'PEM block type must be CERTIFICATE REQUEST'],
    ['another PEM', certificatePem, 'PEM block type must be CERTIFICATE REQUEST'],
    ['broken base64', requestPem.replace('MIHv', 'M!Hv'), 'PEM block type must be CERTIFICATE REQUEST'],
    [
      'no sequence',
      framed('CERTIFICATE REQUEST', Buffer.from('hello')),
      "asn1: structure error: tags don't match (16 vs {class:1 tag:8 length:101 isCompound:true}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2",
    ],
    ['cut off', framed('CERTIFICATE REQUEST', derOf(requestPem).subarray(0, 60)), 'asn1: syntax error: data truncated'],
    ['empty', framed('CERTIFICATE REQUEST', Buffer.from([0x30, 0])), 'asn1: syntax error: sequence truncated'],
    [
      'with more behind it',
      framed('CERTIFICATE REQUEST', Buffer.concat([derOf(requestPem), Buffer.from('x')])),
      'asn1: syntax error: trailing data',
    ],
    ['with another signature', changed(requestPem, 1), 'x509: ECDSA verification failure'],
    ['with a key that is none', changed(requestPem, 90), 'x509: failed to unmarshal elliptic curve point'],
  ])('%s', async (_name, request, expected) => {
    expect(await ofRequest(request)).toBe(expected)
  })

  it('is told before all that is wrong with the rest', async () => {
    const faults = await faultsOf(
      server.client.create(
        CertificateSigningRequest,
        asking('x', {
          usages: ['any', 'any', 'bake'],
          expirationSeconds: 60,
          signerName: 'kubernetes.io/legacy-unknown',
        }),
      ),
    )
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'spec.request',
      'spec.usages[2]',
      'spec.usages[1]',
      'spec.signerName',
      'spec.expirationSeconds',
    ])
  })

  it('names who may not have a certificate of the API server, in any spelling of its subject', async () => {
    const request = Buffer.from(await certificateRequest('CN=eve,O=a,O=system:masters'), 'base64').toString()
    const signerName = 'kubernetes.io/kube-apiserver-client'
    await expect(server.client.create(CertificateSigningRequest, asking(request, { signerName }))).rejects.toThrow(
      'signer with system:masters group is not allowed',
    )
  })
})

describe('status.certificate', () => {
  it.each<readonly [string, string, string | undefined]>([
    ['a certificate', certificatePem, undefined],
    ['a chain', certificatePem + certificatePem, undefined],
    ['text', 'nonsense', 'must contain at least one CERTIFICATE PEM block'],
    ['another PEM', requestPem, 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"'],
    ['headers', certificatePem.replace('-----\n', '-----\nBy: me\n\n'), 'no PEM block headers are permitted'],
    ['junk in PEM', framed('CERTIFICATE', Buffer.from('junk')), 'x509: malformed certificate'],
    ['nothing in PEM', framed('CERTIFICATE', Buffer.from([0x30, 0])), 'x509: malformed tbs certificate'],
  ])('%s', async (_name, certificate, expected) => {
    const made = await server.client.create(CertificateSigningRequest, asking(requestPem))
    const [fault] = await faultsOf(
      server.client.updateStatus(CertificateSigningRequest, { ...made, status: { certificate: btoa(certificate) } }),
    )
    expect(fault).toBe(expected && `status.certificate: Invalid value: "<certificate data>": ${expected}`)
  })
})
