// A CA of a test's own, with what it has signed for a server and for a client.

import { type CertifiedKey, issueAuthority, issueLeaf } from '../../src/http/tls/issue.ts'

export interface TestCertificates {
  readonly ca: string
  readonly server: { readonly cert: string; readonly key: string }
  readonly client: { readonly cert: string; readonly key: string }
}

const validMs = 3_600_000

/** Good for these names, and for 127.0.0.1. */
export async function testCertificates(...names: readonly string[]): Promise<TestCertificates> {
  const authority = await issueAuthority('a CA of the test')
  const subject = { commonName: 'test' }
  const server = await issueLeaf(authority, { usage: 'server', subject, names: ['127.0.0.1', ...names], validMs })
  const client = await issueLeaf(authority, { usage: 'client', subject, validMs })
  const pair = ({ certificatePem, keyPem }: CertifiedKey) => ({ cert: certificatePem, key: keyPem })
  return { ca: authority.certificatePem, server: pair(server), client: pair(client) }
}
