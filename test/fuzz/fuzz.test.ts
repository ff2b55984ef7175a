// Odd requests of a fixed seed, and bodies that are made to cost much. `npm run fuzz` goes on from here.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fuzz, report } from './fuzz.ts'
import type { WireRequest } from './requests.ts'
import { type FuzzServer, openServer } from './server.ts'

it('odd requests are answered, and what they store can be written back', async () => {
  expect(report(await fuzz({ seed: 1, requests: 400 }))).toEqual([])
}, 120_000)

let server: FuzzServer
beforeAll(async () => {
  server = await openServer(0)
})
afterAll(() => server.close())

describe('a request that once was an internal error', () => {
  const pod = '/api/v1/namespaces/fuzz/pods'
  const send = (method: string, path: string, contentType: string, body: string): WireRequest => ({
    method,
    path,
    headers: { 'content-type': contentType },
    body,
  })
  const apply = (path: string, body: string): WireRequest =>
    send('PATCH', `${path}?fieldManager=me`, 'application/apply-patch+yaml', body)

  it.each<[string, number, WireRequest, string | undefined]>([
    [
      'a continue token that is null',
      400,
      { method: 'GET', path: `${pod}?continue=bnVsbA`, headers: {} },
      'invalid continue token: continue key is not valid: server does not recognize this encoded version ',
    ],
    [
      'an operation that is null',
      422,
      send('PATCH', '/api/v1/namespaces/default', 'application/json-patch+json', '[null]'),
      'the server rejected our request due to an error in our request',
    ],
    [
      'an application of no map',
      400,
      apply('/api/v1/namespaces/default', '5'),
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal number into Go value of type map[string]interface {}',
    ],
    [
      'an application without metadata to something that is there',
      200,
      apply('/api/v1/namespaces/default', 'apiVersion: v1\nkind: Namespace'),
      undefined,
    ],
    [
      'an application of no known kind',
      400,
      apply('/api/v1/namespaces/default', 'apiVersion: {}'),
      'invalid object type: /, Kind=',
    ],
    [
      'amounts under a name that every JavaScript object knows',
      422,
      send(
        'POST',
        '/api/v1/namespaces/fuzz/limitranges',
        'application/json',
        '{"metadata":{"name":"odd"},"spec":{"limits":[{"type":"a.b/c","max":{"toString":"1"}}]}}',
      ),
      'LimitRange "odd" is invalid: spec.limits[0].max[toString]: Invalid value: "toString": must be a standard resource type or fully qualified',
    ],
    [
      'bytes that are not encoded',
      400,
      send('POST', pod, 'application/yaml', '!!binary x'),
      'the object provided is unrecognized (must be of type Pod): yaml: !!binary value contains invalid base64 data (212162696e6172792078)',
    ],
  ])('%s', async (_what, code, request, message) => {
    const { status, text } = await server.ask(request)
    expect([status, JSON.parse(text).message, server.errors()]).toEqual([code, message, []])
  })

  it.each<[string, number, string, string]>([
    ['null', 200, '', ''],
    ['5', 400, "couldn't get version/kind; json parse error: json: cannot unmarshal number into", ''],
    ['{"gracePeriodSeconds":"x"}', 400, 'json: cannot unmarshal string into Go struct field DeleteOptions', ''],
    ['', 400, 'strconv.ParseInt: parsing "x": invalid syntax', '?gracePeriodSeconds=x'],
  ])('options of a deletion: %s', async (body, code, message, query) => {
    const path = '/api/v1/namespaces/fuzz/configmaps'
    await server.ask(send('POST', path, 'application/json', '{"metadata":{"name":"gone"}}'))
    const { status, text } = await server.ask(send('DELETE', `${path}/gone${query}`, 'application/json', body))
    expect([status, JSON.parse(text).message ?? '', server.errors()]).toEqual([
      code,
      expect.stringContaining(message),
      [],
    ])
  })

  it('a schema of elements that is none, and a job without containers', async () => {
    const items = { type: 'object', required: { a: 'b' }, notThere: 1 }
    const openAPIV3Schema = { type: 'object', properties: { list: { type: 'array', items } } }
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }]
    const names = { plural: 'odds', kind: 'Odd' }
    const spec = { group: 'fuzz.example.org', scope: 'Namespaced', names, versions }
    const definition = JSON.stringify({ metadata: { name: 'odds.fuzz.example.org' }, spec })
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const refused = await server.ask(send('POST', path, 'application/json', definition))
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      400,
      expect.stringContaining('cannot unmarshal object into Go struct field JSONSchemaProps.required of type []string'),
    ])
    const good = definition.replace('{"a":"b"}', '["a"]')
    const made = await server.ask(send('POST', `${path}?fieldValidation=Strict`, 'application/json', good))
    // What Go reads by a decoder of its own is not read strictly, and unknown fields go.
    expect([made.status, made.text.includes('notThere')]).toEqual([201, false])
    const template = { spec: { restartPolicy: 'Never', resources: {} } }
    const job = JSON.stringify({ metadata: { name: 'bare' }, spec: { template } })
    const answer = await server.ask(send('POST', '/apis/batch/v1/namespaces/fuzz/jobs', 'application/json', job))
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('containers: Required value')])
  })

  it('a pod that loses its containers', async () => {
    const containers = [{ name: 'a', image: 'a' }]
    const made = await server.ask(
      send('POST', pod, 'application/json', JSON.stringify({ metadata: { name: 'bare' }, spec: { containers } })),
    )
    expect(made.status).toBe(201)
    const body = JSON.stringify({ metadata: { name: 'bare' }, spec: { containers: null } })
    const { status, text } = await server.ask(send('PUT', `${pod}/bare`, 'application/json', body))
    expect([status, JSON.parse(text).message]).toEqual([
      422,
      expect.stringContaining('spec.containers: Required value'),
    ])
  })

  it('an entry of managed fields without a name is stored as Go writes it', async () => {
    const path = '/api/v1/namespaces/fuzz/configmaps'
    const put = (text: string) => server.ask(send('PUT', `${path}/owned`, 'application/json', text))
    const made = await server.ask(
      send('POST', path, 'application/json', '{"metadata":{"name":"owned"},"data":{"a":"1"}}'),
    )
    const changed = await put(made.text.replace('"manager":"unknown",', '').replace('"a":"1"', '"a":"1","b":"2"'))
    const again = await put(changed.text)
    expect([again.status, JSON.parse(again.text)]).toEqual([200, JSON.parse(changed.text)])
  })

  it('a field with a name that no header can hold', async () => {
    const body = JSON.stringify({ metadata: { name: 'long' }, ['x'.repeat(70_000)]: 1 })
    const path = '/api/v1/namespaces/fuzz/configmaps'
    expect((await server.ask(send('POST', path, 'application/json', body))).status).toBe(201)
  })
})

describe('a body that costs much is refused', () => {
  const path = '/api/v1/namespaces/fuzz/configmaps'
  const post = (contentType: string, body: string): WireRequest => ({
    method: 'POST',
    path,
    headers: { 'content-type': contentType },
    body,
  })
  const patch = (type: string, body: string): WireRequest => ({
    ...post(`application/${type}`, body),
    method: 'PATCH',
    path: `${path}/kept?fieldManager=me`,
  })
  const nested = (open: string, close: string, depth = 20_000): string => `${open.repeat(depth)}1${close.repeat(depth)}`
  const level = (i: number): string => `a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]\n`
  const bomb = `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, i) => level(i + 1)).join('')}`

  it.each<[string, number, WireRequest]>([
    ['more than 3 MiB', 413, post('application/json', JSON.stringify({ data: { a: 'x'.repeat(3 * 1024 * 1024) } }))],
    ['JSON lists in lists', 400, post('application/json', `{"data":${nested('[', ']')}}`)],
    ['JSON maps in maps', 400, post('application/json', `{"data":${nested('{"a":', '}')}}`)],
    ['YAML lists in lists', 400, post('application/yaml', `data: ${nested('[', ']')}`)],
    ['YAML lists by lines', 400, post('application/yaml', `data:\n${'- '.repeat(20_000)}1`)],
    ['aliases of aliases', 400, post('application/yaml', bomb)],
    ['aliases of aliases, applied', 400, patch('apply-patch+yaml', bomb)],
    ['a deep merge patch', 400, patch('merge-patch+json', `{"data":${nested('{"a":', '}')}}`)],
    ['a deep strategic patch', 400, patch('strategic-merge-patch+json', `{"data":${nested('{"a":', '}')}}`)],
    ['a deep JSON patch', 400, patch('json-patch+json', `[{"op":"add","path":"/data","value":${nested('[', ']')}}]`)],
    [
      'a JSON patch that doubles and doubles',
      422,
      patch(
        'json-patch+json',
        JSON.stringify([
          { op: 'add', path: '/metadata/annotations', value: { a: 'x' } },
          ...Array.from({ length: 40 }, (_, i) => ({
            op: 'copy',
            from: '/metadata/annotations',
            path: `/metadata/annotations/a${i}`,
          })),
        ]),
      ),
    ],
  ])('%s', async (_what, code, request) => {
    await server.ask(post('application/json', JSON.stringify({ metadata: { name: 'kept' } })))
    const before = process.memoryUsage().rss
    const { status, text, ms } = await server.ask(request)
    expect([status, JSON.parse(text).kind, server.errors()]).toEqual([code, 'Status', []])
    expect(ms).toBeLessThan(3000)
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(500)
  })
})
