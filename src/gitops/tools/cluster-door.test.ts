import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ClusterDoor, openClusterDoor } from './cluster-door.ts'
import { questionText } from './lookup.ts'

const served = ['v1', 'v1/Secret', 'apps/v1', 'apps/v1/Deployment', 'example.com/v1', 'example.com/v1/Gadget']
const password = { apiVersion: 'v1', kind: 'Secret', namespace: 'shop', name: 'password' }
const other = { ...password, name: 'other' }

let door: ClusterDoor
let server: string
beforeEach(async () => {
  door = await openClusterDoor({
    kubeVersion: 'v1.34.2-gke.100',
    apiVersions: ['v1', 'apps/v1', 'apps/v1/Deployment'],
    served,
    answers: new Map([
      [questionText(password), { type: 'found', object: { kind: 'Secret' }, version: '1' }],
      [questionText(other), { type: 'refused', reason: 'it belongs to others' }],
    ]),
  })
  const { clusters } = JSON.parse(door.kubeconfig) as { readonly clusters: { cluster: { server: string } }[] }
  server = clusters[0]?.cluster.server ?? ''
})
afterEach(() => door.close())

const ask = async (path: string, method = 'GET'): Promise<readonly [number, unknown]> => {
  const response = await fetch(`${server}${path}`, { method })
  return [response.status, await response.json()]
}
const message = async (path: string, method?: string) => {
  const [code, status] = await ask(path, method)
  return [code, (status as { readonly message: string }).message]
}

describe('a door for one run', () => {
  test('tells what it was told, and notes the rest', async () => {
    expect(await ask('/api/v1/namespaces/shop/Secret/password')).toEqual([200, { kind: 'Secret' }])
    expect(await message('/api/v1/namespaces/shop/Secret/other')).toEqual([403, 'it belongs to others'])
    expect((await ask('/apis/example.com/v1/Gadget'))[0]).toBe(404)
    expect([...door.used.values()]).toEqual([password, other])
    expect([...door.asked.values()]).toEqual([
      { apiVersion: 'example.com/v1', kind: 'Gadget', namespace: '', name: '' },
    ])
  })

  test('says what is served: to charts what they are to be told, to lookups everything', async () => {
    expect(await ask('/version')).toEqual([200, { major: '1', minor: '34', gitVersion: 'v1.34.2' }])
    const [, groups] = await ask('/apis?timeout=32s')
    expect(JSON.stringify(groups)).not.toContain('Gadget')
    expect(groups).toMatchObject({
      items: [{ metadata: { name: 'apps' }, versions: [{ version: 'v1', resources: [{ resource: 'Deployment' }] }] }],
    })
    expect(await ask('/apis/example.com/v1?timeout=32s')).toMatchObject([200, { resources: [{ kind: 'Gadget' }] }])
    expect(await message('/apis/example.com/v2?timeout=32s')).toEqual([
      404,
      'the destination cluster does not serve example.com/v2',
    ])
  })

  test.each(['/api', '/api/name', '/api/v1/a/b/c', '/api/v1/%', '/api/v1//', '/elsewhere', '/api/v1/namespaces/shop'])(
    'knows of nothing behind %s',
    async (path) => expect((await message(path))[0]).toBe(403),
  )

  test('is only read, and only by whoever knows its path', async () => {
    expect(await message('/api/v1/namespaces/shop/Secret/password', 'DELETE')).toEqual([405, 'it can only be read'])
    const { origin } = new URL(server)
    for (const path of ['/api/v1/namespaces/shop/Secret/password', '/', `/${'0'.repeat(64)}/version`])
      expect((await fetch(`${origin}${path}`)).status).toBe(404)
    expect(door.used.size).toBe(0)
  })

  test('is gone with the run', async () => {
    await door.close()
    await expect(ask('/version')).rejects.toThrow('fetch failed')
  })
})
