// serviceaccounts/token: whom a token stands for, and what it may be bound to.

import { describe, expect, it } from 'vitest'
import { createApiServer } from '#apiserver'
import { createClient } from '#client'
import { Pod, ServiceAccount } from '#kinds'
import type { AnyObject } from '#objects'
import { createMemoryStore } from '#store'
import { simulatedWorld } from '#world'
import { object, ref } from './objects.ts'
import { startServer, tester } from './server.ts'

describe('token', () => {
  it('stands for its account, as long as that exists', async () => {
    const world = simulatedWorld(1)
    const server = createApiServer({ world, store: createMemoryStore() })
    const client = createClient(server.handle, tester)
    await client.create(ServiceAccount, object(ServiceAccount, 'a'))
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const answer = await client.createSubresource(ServiceAccount, ref, 'token', request)
    const { token } = answer['status'] as { readonly token: string }
    expect(server.verifyToken(token)?.user).toBe('system:serviceaccount:default:a')
    expect(server.verifyToken(`${token.slice(0, -2)}xx`)).toBeUndefined()
    await client.delete(ServiceAccount, ref)
    expect(server.verifyToken(token)).toBeUndefined()
  })

  const ask = async (metadata: object, spec: object): Promise<AnyObject> => {
    const { client } = startServer()
    for (const name of ['a', 'b']) await client.create(ServiceAccount, object(ServiceAccount, name))
    const containers = [{ name: 'c', image: 'x' }]
    await client.create(Pod, object(Pod, 'p', { spec: { serviceAccountName: 'b', containers } }))
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec }
    return client.createSubresource(ServiceAccount, ref, 'token', body)
  }
  const boundTo = (kind: string, rest: object) => ({ boundObjectRef: { kind, apiVersion: 'v1', ...rest } })

  it('has the metadata and the audience of its account', async () => {
    const answer = await ask({ labels: { of: 'mine' } }, {})
    expect(answer.metadata).toMatchObject({ ...ref, uid: expect.any(String), labels: { of: 'mine' } })
    expect(answer['spec']).toMatchObject({ audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600 })
  })

  it.each([
    [
      { name: 'z' },
      {},
      422,
      'TokenRequest.authentication.k8s.io "a" is invalid: metadata.name: Invalid value: "z": must match the service account name if specified',
    ],
    [
      { uid: 'other' },
      {},
      409,
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "a": the UID in the token request (other) does not match the UID of the service account (',
    ],
    [{}, { expirationSeconds: 1 }, 422, 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds'],
    [
      {},
      boundTo('Pod', { name: 'p' }),
      400,
      'cannot bind token for serviceaccount "a" to pod running with different serviceaccount name.',
    ],
    [{}, boundTo('Pod', { name: 'none' }), 404, 'pods "none" not found'],
    [{}, boundTo('Pod', {}), 400, 'Name parameter required.'],
    [
      {},
      boundTo('Pod', { apiVersion: 'apps/v1', name: 'p' }),
      400,
      'cannot bind token to object of type apps/v1, Kind=Pod',
    ],
  ])('refuses %j with %j', async (metadata, spec, code, why) => {
    await expect(ask(metadata, spec)).rejects.toMatchObject({ code, message: expect.stringContaining(why) })
  })
})
