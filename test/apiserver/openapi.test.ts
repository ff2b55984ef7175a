// What documents tell clients: OpenAPI v3, whose paths and schemas they look up by name, and the lists of resources.

import { expect, it } from 'vitest'
import { startServer } from './server.ts'

interface SchemaText {
  readonly description?: string
  readonly allOf?: readonly { readonly $ref: string }[]
  readonly properties?: Readonly<Record<string, SchemaText>>
}

async function documentNamed(name: string) {
  const { client } = startServer()
  const { body } = await client.request({ verb: 'get', path: `/openapi/v3/${name}` })
  if (body.type !== 'parts') throw new Error('no document')
  const { paths, components } = JSON.parse([...body.parts].join('')) as {
    readonly paths: object
    readonly components: { readonly schemas: Readonly<Record<string, SchemaText>> }
  }
  return { paths, schemas: components.schemas }
}

async function namesIn(name: string): Promise<{ paths: readonly string[]; schemas: readonly string[] }> {
  const { paths, schemas } = await documentNamed(name)
  return { paths: Object.keys(paths), schemas: Object.keys(schemas) }
}

it('proxies lead to paths below their own', async () => {
  const { paths } = await namesIn('api/v1')
  for (const place of ['nodes', 'namespaces/{namespace}/pods', 'namespaces/{namespace}/services'])
    expect(paths).toContain(`/api/v1/${place}/{name}/proxy/{path}`)
  expect(paths).not.toContain('/api/v1/namespaces/{namespace}/pods/{name}/log/{path}')
})

it('groups of reviews know nothing that would be kept, changed or watched', async () => {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
  for (const group of ['authentication.k8s.io', 'authorization.k8s.io']) {
    const { schemas } = await namesIn(`apis/${group}/v1`)
    expect(schemas).toContain(`${meta}.APIResourceList`)
    for (const kind of ['DeleteOptions', 'Patch', 'Status', 'WatchEvent'])
      expect(schemas).not.toContain(`${meta}.${kind}`)
  }
  expect((await namesIn('apis/apps/v1')).schemas).toContain(`${meta}.WatchEvent`)
})

it('fields do not say again what their type says', async () => {
  const { schemas } = await documentNamed('apis/apps/v1')
  const again: string[] = []
  for (const [name, { properties = {} }] of Object.entries(schemas))
    for (const [field, { description, allOf }] of Object.entries(properties)) {
      const type = schemas[allOf?.[0]?.$ref.split('/').at(-1) ?? '']
      if (description !== undefined && description === type?.description) again.push(`${name}.${field}`)
    }
  expect(again).toEqual([])
  const rolling = schemas['io.k8s.api.apps.v1.RollingUpdateDaemonSet']?.properties?.['maxSurge']
  expect(rolling?.description).toMatch(/maximum number of nodes/)
})

it.each([
  'api/v1',
  'apis/apiregistration.k8s.io/v1',
  'apis/apps/v1',
  'apis/authorization.k8s.io/v1',
  'apis/networking.k8s.io/v1',
  'apis/resource.k8s.io/v1',
])('fields of types say what they are for: %s', async (name) => {
  const { schemas } = await documentNamed(name)
  // Kubernetes has no text of it either.
  const silent = ['io.k8s.api.networking.v1.IngressRule.http']
  const untold = Object.entries(schemas).flatMap(([type, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, { description, allOf }]) => description === undefined && allOf !== undefined)
      .map(([field]) => `${type}.${field}`),
  )
  expect(untold.filter((field) => !silent.includes(field))).toEqual([])
})

it('the version has a schema', async () => {
  expect((await namesIn('version')).schemas).toEqual(['io.k8s.apimachinery.pkg.version.Info'])
})

it('resources that Kubernetes 1.34 keeps in another version than they have say so', async () => {
  const { client } = startServer()
  const { body } = await client.request({ verb: 'get', path: '/apis/resource.k8s.io/v1' })
  expect(JSON.stringify(body)).toContain('"storageVersionHash":"weQRMT6DeYM="')
})
