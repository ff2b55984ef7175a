// OpenAPI v2 as generators of clients and kubectl read it: it tells of every verb that discovery tells of, its references
// lead somewhere, and it is the same document in JSON and in protobuf.

import { expect, it } from 'vitest'
import type { Client } from '#client'
import { readFields } from '../../src/http/kube/protobuf/reader.ts'
import { anyObject, definitionOf, Widget } from '../support/custom-kinds.ts'
import { startServer, type TestServer } from './server.ts'

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly object[]
  readonly responses: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>>
  readonly consumes?: readonly string[]
  readonly 'x-kubernetes-action'?: string
  readonly 'x-kubernetes-group-version-kind'?: { readonly kind: string }
}

interface Swagger {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly definitions: Readonly<Record<string, { readonly properties?: Readonly<Record<string, object>> }>>
  readonly parameters: Readonly<Record<string, { readonly name: string }>>
  readonly securityDefinitions: object
}

async function documentOf(client: Client, path: string, openApiV2: 'json' | 'protobuf' = 'json'): Promise<Buffer> {
  const accept = { as: 'object', managedFields: true, openApiV2 } as const
  const { body } = await client.request({ verb: 'get', path, accept })
  if (body.type !== 'parts') throw new Error('no document')
  return Buffer.concat([...body.parts].map((part) => Buffer.from(part)))
}

const swaggerOf = async ({ client }: TestServer): Promise<Swagger> =>
  JSON.parse((await documentOf(client, '/openapi/v2')).toString()) as Swagger

const methodOf: Readonly<Record<string, string>> = {
  get: 'get',
  list: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete',
}

interface Listed {
  readonly resources: readonly {
    readonly name: string
    readonly namespaced: boolean
    readonly verbs: readonly string[]
  }[]
}

/** Method and path of each verb of each resource and subresource that discovery tells of. */
async function offered(client: Client): Promise<readonly string[]> {
  const { body } = await client.request({ verb: 'get', path: '/' })
  const { paths } = (body.type === 'object' ? body.object : {}) as unknown as { readonly paths: readonly string[] }
  const found: string[] = []
  for (const path of paths.filter((one) => /^\/(api\/v1|apis\/[^/]+\/[^/]+)$/.test(one))) {
    if (path.includes('metrics.k8s.io')) continue
    const answer = await client.request({ verb: 'get', path })
    const { resources } = (answer.body.type === 'object' ? answer.body.object : {}) as unknown as Listed
    for (const { name, namespaced, verbs } of resources) {
      const [resource = '', sub] = name.split('/')
      const collection = `${path}${namespaced ? '/namespaces/{namespace}' : ''}/${resource}`
      const object = `${collection}/{name}${sub === undefined ? '' : `/${sub}`}`
      for (const verb of verbs) {
        const isOfMany = sub === undefined && ['list', 'create', 'deletecollection'].includes(verb)
        if (verb !== 'watch') found.push(`${methodOf[verb]} ${isOfMany ? collection : object}`)
      }
    }
  }
  return found
}

const operationsIn = ({ paths }: Swagger): readonly (readonly [name: string, operation: Operation])[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => [`${method} ${path}`, operation] as const),
  )

const openAPIV3Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['color', 'note'],
      properties: {
        color: { type: 'string', default: 'red', pattern: '^[a-z]+$' },
        note: { type: 'string', nullable: true },
        port: { 'x-kubernetes-int-or-string': true },
        open: { ...anyObject, properties: { a: { type: 'string' } } },
      },
    },
  },
}
const widgets = definitionOf(Widget, {
  versions: [
    {
      subresources: { status: {} },
      selectableFields: [{ jsonPath: '.spec.color' }],
      schema: { openAPIV3Schema },
    },
  ],
})

it('tells of every verb that discovery tells of, each under a name of its own', async () => {
  const server = startServer()
  const swagger = await swaggerOf(server)
  const operations = operationsIn(swagger)
  const known = new Set(operations.map(([name]) => name))
  const wanted = await offered(server.client)
  expect(wanted.length).toBeGreaterThan(500)
  expect(wanted.filter((name) => !known.has(name))).toEqual([])
  const ids = operations.map(([, { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(swagger.securityDefinitions).toHaveProperty('BearerToken')
})

it('leads to what it refers to', async () => {
  const swagger = await swaggerOf(startServer())
  const refs = JSON.stringify(swagger).matchAll(/"\$ref":"#\/(definitions|parameters)\/([^"]+)"/g)
  const missing = [...refs].filter(([, section = '', name = '']) => !(name in swagger[section as 'parameters']))
  expect(missing.map(([ref]) => ref)).toEqual([])
})

it('names operations and parameters as Kubernetes 1.34 does', async () => {
  const { paths, parameters, definitions } = await swaggerOf(startServer())
  const deployment = paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']
  expect(deployment?.['patch']?.operationId).toBe('patchAppsV1NamespacedDeployment')
  expect(paths['/apis/apps/v1/namespaces/{namespace}/deployments']?.['delete']?.operationId).toBe(
    'deleteAppsV1CollectionNamespacedDeployment',
  )
  expect(paths['/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}']?.['head']).toMatchObject({
    operationId: 'connectCoreV1HeadNamespacedPodProxyWithPath',
    'x-kubernetes-action': 'connect',
    'x-kubernetes-group-version-kind': { kind: 'PodProxyOptions' },
  })
  for (const name of ['namespace-vgWSWtn3', 'pretty-tJGM1-ng', 'body-2Y1dVQaQ', 'tty-s0flW37O'])
    expect(parameters).toHaveProperty([name])
  expect(definitions['io.k8s.apimachinery.pkg.api.resource.Quantity']).toHaveProperty('type', 'string')
})

it('says that deletes answer with a Status, or with the object where the storage says so', async () => {
  const server = startServer()
  const { paths } = await swaggerOf(server)
  const answerOf = (path: string): string =>
    paths[path]?.['delete']?.responses['200']?.schema?.$ref?.split('.').at(-1) ?? ''
  expect(answerOf('/apis/storage.k8s.io/v1/storageclasses/{name}')).toBe('StorageClass')
  expect(answerOf('/api/v1/namespaces/{namespace}/configmaps/{name}')).toBe('Status')
  const name = 'fast'
  const resource = { group: 'storage.k8s.io', version: 'v1', resource: 'storageclasses' }
  const metadata = { name }
  const object = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata, provisioner: 'example.com/disk' }
  await server.client.request({ verb: 'create', resource, body: { type: 'object', object } })
  const { body } = await server.client.request({ verb: 'delete', resource, name })
  expect(body).toMatchObject({ object: { kind: 'StorageClass', metadata } })
})

it('follows definitions of custom resources, as far as v2 can say what they say', async () => {
  const server = startServer()
  const etagOf = async () =>
    (
      await server.client.request({
        verb: 'get',
        path: '/openapi/v2',
        accept: { as: 'object', managedFields: true, openApiV2: 'json' },
      })
    ).headers?.['etag']
  const before = await etagOf()
  expect(await etagOf()).toBe(before)
  const resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }
  await server.client.request({ verb: 'create', resource, body: { type: 'object', object: widgets } })
  await server.world.settle()
  expect(await etagOf()).not.toBe(before)
  const { paths, definitions } = await swaggerOf(server)
  const item = paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status']
  expect(item?.['put']).toMatchObject({
    operationId: 'replaceExampleComV1NamespacedWidgetStatus',
    consumes: ['application/json', 'application/yaml'],
  })
  const spec = definitions['com.example.v1.Widget']?.properties?.['spec']
  expect(spec).toEqual({
    type: 'object',
    required: ['color'],
    properties: {
      color: { type: 'string', pattern: '^[a-z]+$' },
      note: {},
      port: { 'x-kubernetes-int-or-string': true },
      open: { 'x-kubernetes-preserve-unknown-fields': true },
    },
  })
  expect(definitions['com.example.v1.WidgetList']).toMatchObject({
    'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.color' }],
  })
})

it('is the same in protobuf: as many paths, definitions and parameters, by the same names', async () => {
  const server = startServer()
  const swagger = await swaggerOf(server)
  const fields = [...readFields(await documentOf(server.client, '/openapi/v2', 'protobuf'))]
  const namesIn = (section: number, entry: number): readonly string[] =>
    fields
      .filter(({ number }) => number === section)
      .flatMap(({ bytes }) => [...readFields(bytes)].filter(({ number }) => number === entry))
      .map(({ bytes }) => [...readFields(bytes)].find(({ number }) => number === 1)?.bytes.toString() ?? '')
  expect(namesIn(8, 2)).toEqual(Object.keys(swagger.paths))
  expect(namesIn(9, 1)).toEqual(Object.keys(swagger.definitions))
  expect(namesIn(10, 1)).toEqual(Object.keys(swagger.parameters))
})
