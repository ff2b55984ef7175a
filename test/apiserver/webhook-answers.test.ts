// What becomes of each kind of answer of an admission webhook, and of calls that get none. Texts are those of a Kubernetes
// API server.

import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ConfigMap, Deployment, MutatingWebhookConfiguration } from '#kinds'
import { issueAuthority, issueLeaf } from '../../src/http/tls/issue.ts'
import {
  type Answer,
  type Asked,
  adds,
  answers,
  asked,
  at,
  configMap,
  deployment,
  hook,
  mutating,
  patching,
  paths,
  refusal,
  rule,
  setUp,
  test,
  validating,
} from './webhook-server.ts'

describe('the answer', () => {
  const internal = (text: string): string => `Internal error occurred: ${text}`
  const failed = (text: string): string => internal(`failed calling webhook "one.example.com": ${text}`)

  it.each<[string, Answer, number, string]>([
    [
      'denied',
      () => ({ allowed: false }),
      400,
      'admission webhook "one.example.com" denied the request without explanation',
    ],
    [
      'denied with a message and a code',
      () => ({ allowed: false, status: { message: 'not on a Friday', code: 418 } }),
      418,
      'admission webhook "one.example.com" denied the request: not on a Friday',
    ],
    [
      'denied with a reason',
      () => ({ allowed: false, status: { reason: 'Forbidden', code: 403 } }),
      403,
      'admission webhook "one.example.com" denied the request: Forbidden',
    ],
    [
      'another uid',
      () => ({ allowed: true, uid: 'x' }),
      500,
      failed('received invalid webhook response: expected response.uid='),
    ],
    [
      'a patch of no type',
      () => ({ allowed: true, patch: 'W10=' }),
      500,
      failed('received invalid webhook response: webhook returned response.patch but not response.patchType'),
    ],
    [
      'a type of no patch',
      () => ({ allowed: true, patchType: 'JSONPatch' }),
      500,
      failed('received invalid webhook response: webhook returned response.patchType but not response.patch'),
    ],
    [
      'another type of patch',
      () => ({ allowed: true, patch: 'W3sib3AiOiJhZGQifV0=', patchType: 'Strategic' }),
      500,
      failed('unsupported patch type "Strategic"'),
    ],
    [
      'a patch that does not fit',
      adds('/spec/x/y', 1),
      500,
      internal('add operation does not apply: doc is missing path: "/spec/x/y": missing value'),
    ],
    [
      'a patch after which it is no object of the kind',
      adds('/metadata/labels', { a: 1 }),
      500,
      internal('json: cannot unmarshal number into Go struct field'),
    ],
    [
      'a failing server',
      () => ({ status: 500, text: 'boom\n' }),
      500,
      failed('failed to call webhook: an error on the server ("boom") has prevented the request from succeeding'),
    ],
    [
      'a wrong path',
      () => ({ status: 404, text: 'no' }),
      500,
      failed('failed to call webhook: the server could not find the requested resource'),
    ],
    [
      'no JSON',
      () => ({ status: 200, text: 'hello' }),
      500,
      failed("failed to call webhook: couldn't get version/kind; json parse error: invalid character 'h' looking for"),
    ],
  ])('%s', async (_name, answer, code, text) => {
    await setUp()
    await mutating('a', [hook('one')])
    answers.set('/one', answer)
    const error = await refusal(configMap('a'))
    expect(error.message.slice(0, text.length)).toBe(text)
    expect(error.code).toBe(code)
  })

  it.each<[string, Answer, boolean]>([
    ['a failing server', () => ({ status: 500, text: 'boom' }), true],
    ['another uid', () => ({ allowed: true, uid: 'x' }), true],
    ['denied', () => ({ allowed: false }), false],
    ['a patch that does not fit', adds('/spec/x/y', 1), false],
  ])('failurePolicy Ignore overlooks (%s): %s', async (_name, answer, isOverlooked) => {
    await setUp()
    await mutating('a', [hook('one', { failurePolicy: 'Ignore' })])
    answers.set('/one', answer)
    if (isOverlooked) await configMap('a')
    else await refusal(configMap('a'))
  })

  it('of a validating webhook holds no patch', async () => {
    await setUp()
    await validating('a', [hook('one')])
    answers.set('/one', adds('/data', {}))
    expect((await refusal(configMap('a'))).message).toBe(
      failed('received invalid webhook response: validating webhook may not return response.patch'),
    )
  })

  it('to a delete cannot change anything', async () => {
    await setUp()
    await configMap('a')
    await mutating('a', [hook('one', { rules: [rule('configmaps', ['DELETE'])] })])
    answers.set('/one', adds('/data', {}))
    const error = await refusal(
      test.world.drive(() => test.client.delete(ConfigMap, { namespace: 'default', name: 'a' })),
    )
    expect(error.message).toBe(
      internal(
        'admission webhook "one.example.com" attempted to modify the object, which is not supported for this operation',
      ),
    )
  })

  it('changes what a Scale says', async () => {
    await setUp()
    await deployment()
    await mutating('a', [hook('one', { rules: [rule('deployments/scale', ['UPDATE'], 'apps')] })])
    answers.set('/one', patching({ op: 'replace', path: '/spec/replicas', value: 2 }))
    const ref = { namespace: 'default', name: 'd' }
    await test.world.drive(() =>
      test.client.patch(
        Deployment,
        ref,
        { spec: { replicas: 9 } },
        { type: 'application/merge-patch+json', subresource: 'scale' },
      ),
    )
    expect((await test.client.get(Deployment, ref)).spec?.replicas).toBe(2)
  })

  it('keeps side effects out of a dry run', async () => {
    await setUp()
    await mutating('a', [hook('one', { sideEffects: 'NoneOnDryRun' })])
    const dry = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } } as ConfigMap
    await test.world.drive(() => test.client.create(ConfigMap, dry, { dryRun: true }))
    expect(asked[0]?.request).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } })
  })

  it('is waited for from all validating webhooks; the first refusal speaks', async () => {
    await setUp()
    await validating('a', [hook('one'), hook('two'), hook('three')])
    answers.set('/two', () => ({ allowed: false, status: { message: 'two' } }))
    answers.set('/three', () => ({ allowed: true, warnings: ['three says hello'] }))
    expect((await refusal(configMap('a'))).message).toContain('"two.example.com" denied the request: two')
    expect(paths().toSorted()).toEqual(['one', 'three', 'two'])
  })
})

describe('the way there', () => {
  it.each<[string, object, string]>([
    ['no Service', { name: 'none', namespace: 'default' }, 'service "none" not found'],
    ['another port', { name: 'one', namespace: 'default', port: 8443 }, 'no service port 8443 found for service "one"'],
  ])('%s', async (_name, service, text) => {
    await setUp()
    await mutating('a', [hook('one', { clientConfig: { service } })])
    expect((await refusal(configMap('a'))).message).toContain(`failed to call webhook: Post "https://`)
    expect((await refusal(configMap('a'))).message).toMatch(new RegExp(`: ${text}$`))
  })

  it('leads over HTTPS to what a URL names, whose certificate is checked', async () => {
    const authority = await issueAuthority('hooks')
    const leaf = await issueLeaf(authority, {
      usage: 'server',
      subject: { commonName: 'hook' },
      names: ['localhost'],
      validMs: 60_000,
    })
    const secure = createSecureServer({ key: leaf.keyPem, cert: leaf.certificatePem }, (request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { request: one } = JSON.parse(text) as { request: Asked }
        const answer = { uid: one.uid, allowed: false, status: { message: `${request.url}` } }
        response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
      })
    })
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    const { port } = secure.address() as AddressInfo
    const caBundle = Buffer.from(authority.certificatePem).toString('base64')
    const outcome = async (clientConfig: object): Promise<string> => {
      await mutating('a', [hook('one', { clientConfig })])
      const { message } = await refusal(configMap('a'))
      await test.client.delete(MutatingWebhookConfiguration, { name: 'a' })
      return message
    }
    try {
      const good = { url: `https://localhost:${port}/check`, caBundle }
      expect(await outcome(good)).toBe('admission webhook "one.example.com" denied the request: /check?timeout=5s')
      const failedCall = `failed to call webhook: Post "https://localhost:${port}/check?timeout=5s": `
      expect(await outcome({ url: good.url })).toContain(
        `${failedCall}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      )
      expect(await outcome({ ...good, url: `https://127.0.0.1:${port}/check` })).toContain(
        "tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
      )
    } finally {
      await new Promise<void>((resolve) => secure.close(() => resolve()))
    }
    expect(await outcome({ url: `https://localhost:${port}/check`, caBundle })).toMatch(
      /dial tcp .*: connect: connection refused$/,
    )
    expect(await outcome({ url: `https://127.0.0.1:${at.split(':').at(-1)}/plain`, caBundle })).toContain(
      'http: server gave HTTP response to HTTPS client',
    )
  })
})
