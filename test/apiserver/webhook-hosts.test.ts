// Webhooks outside of the cluster are called where the operator has said so: on this machine, if he has said nothing.

import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ApiServerOptions } from '#apiserver'
import { createClient } from '#client'
import { ConfigMap, type MutatingWebhook, MutatingWebhookConfiguration } from '#kinds'
import { made } from './objects.ts'
import { startServer, type TestServer, tester } from './server.ts'
import { hook, refusal } from './webhook-server.ts'

let listener: Server
let port: number
let connections: number
beforeEach(async () => {
  connections = 0
  listener = createServer((socket) => {
    connections += 1
    socket.on('error', () => undefined).resume()
    socket.end('HTTP/1.1 200 OK\r\n\r\n')
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  port = (listener.address() as AddressInfo).port
})
afterEach(() => new Promise<void>((resolve) => listener.close(() => resolve())))

async function server(options: Partial<ApiServerOptions>, webhook: MutatingWebhook): Promise<TestServer> {
  const test = startServer(1, options)
  await test.client.create(
    MutatingWebhookConfiguration,
    made<MutatingWebhookConfiguration>('MutatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', {
      metadata: { name: 'hooks' },
      webhooks: [webhook],
    }),
  )
  return test
}

const write = ({ world, client }: TestServer): Promise<ConfigMap> =>
  world.drive(() =>
    client.create(ConfigMap, made<ConfigMap>('ConfigMap', 'v1', { metadata: { name: 'a', namespace: 'default' } })),
  )
const outside = (url: string, more = {}): MutatingWebhook => hook('one', { clientConfig: { url }, ...more })
const closed = (host: string): string =>
  `homeostat calls no webhook at ${host}, which would see what is written, Secrets too: start with --webhook-host ${host} to allow it`

it('one elsewhere is not called, and the error says how it would be', async () => {
  const test = await server({}, outside('https://hooks.test/check'))
  const { message, code } = await refusal(write(test))
  expect(code).toBe(500)
  expect(message).toBe(
    `Internal error occurred: failed calling webhook "one.example.com": failed to call webhook: Post "https://hooks.test/check?timeout=5s": ${closed('hooks.test')}`,
  )
})

it('one elsewhere whose failures are ignored is not called, and whoever writes is warned', async () => {
  const test = await server({}, outside('https://hooks.test/check', { failurePolicy: 'Ignore' }))
  const warnings: string[] = []
  const client = createClient(async (request, signal) => {
    const answer = await test.handle(request, signal)
    warnings.push(...(answer.warnings ?? []))
    return answer
  }, tester)
  await write({ ...test, client })
  expect(warnings).toEqual([`webhook "one.example.com": ${closed('hooks.test')}`])
})

it('one on this machine is called, unless nothing is to be sent at all', async () => {
  const url = `https://127.0.0.1:${port}/check`
  const called = await refusal(write(await server({}, outside(url))))
  expect(connections).toBe(1)
  expect(called.message).not.toContain('--webhook-host')
  const refused = await refusal(write(await server({ admission: { webhookHosts: [] } }, outside(url))))
  expect(connections).toBe(1)
  expect(refused.message).toContain(closed(`127.0.0.1:${port}`))
  await refusal(write(await server({ admission: { webhookHosts: [`127.0.0.1:${port}`] } }, outside(url))))
  expect(connections).toBe(2)
})
