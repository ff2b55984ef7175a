import { expect, it } from 'vitest'
import { signedHeaders } from './aws-signature.ts'

// Values of the test suite that AWS publishes for signature version 4.
const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const scope = { region: 'us-east-1', service: 'service', at: new Date('2015-08-30T12:36:00Z') }
const url = new URL('https://example.amazonaws.com/')
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

it.each<[string, string, Record<string, string>, string, string]>([
  ['get-vanilla', 'GET', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-header-value-trim',
    'GET',
    { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' },
    '',
    'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
  ],
  [
    'post-x-www-form-urlencoded',
    'POST',
    form,
    'Param1=value1',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('signs as AWS does: %s', (_, method, headers, body, signature) => {
  const { authorization } = signedHeaders({ method, url, headers, body }, keys, scope)
  expect(authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20150830\/us-east-1\/service\/aws4_request, SignedHeaders=/,
  )
  expect(authorization.split('Signature=')[1]).toBe(signature)
})

it('signs the token of a session too', () => {
  const request = { method: 'POST', url, headers: {}, body: '' }
  const { authorization, ...sent } = signedHeaders(request, { ...keys, sessionToken: 'session' }, scope)
  expect(sent).toEqual({ 'x-amz-date': '20150830T123600Z', 'x-amz-security-token': 'session' })
  expect(authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token')
})
