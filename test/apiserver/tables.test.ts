// Tables of lists and of what is not the resource's own kind.

import { expect, it } from 'vitest'
import type { ApiRequest } from '#api'
import {
  CSIStorageCapacity,
  CustomResourceDefinition,
  Deployment,
  FlowSchema,
  IPAddress,
  VolumeAttributesClass,
} from '#kinds'
import type { AnyObject } from '#objects'
import { anyObject, customKind, definitionOf, objectOf } from '../support/custom-kinds.ts'
import { startServer, type TestServer, tester } from './server.ts'

interface Table {
  readonly message?: string
  readonly columnDefinitions?: readonly { readonly name: string }[]
  readonly rows?: readonly { readonly cells: readonly unknown[] }[]
}

const accept = { as: 'table', managedFields: true, metaVersion: 'v1' } as const

async function tableOf({ handle }: TestServer, request: Omit<ApiRequest, 'accept' | 'caller'>): Promise<Table> {
  const { body } = await handle({ ...request, accept, caller: tester }, new AbortController().signal)
  if (body.type !== 'object') throw new Error('no object')
  return body.object as unknown as Table
}

it('sorts flow schemas by what matches first', async () => {
  const server = startServer()
  for (const [name, matchingPrecedence] of [
    ['b', 9],
    ['a', 10],
    ['c', 9],
  ] as const)
    await server.client.create(FlowSchema, {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name },
      spec: { matchingPrecedence, priorityLevelConfiguration: { name: 'exempt' } },
    })
  const { rows } = await tableOf(server, {
    verb: 'list',
    resource: { group: FlowSchema.group, version: 'v1', resource: 'flowschemas' },
  })
  const names = rows?.map(({ cells }) => cells[0]).filter((name) => String(name).length === 1)
  expect(names).toEqual(['b', 'c', 'a'])
})

it('shows a Scale in its own columns', async () => {
  const server = startServer()
  const labels = { app: 'web' }
  await server.client.create(Deployment, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
    },
  })
  const resource = { group: 'apps', version: 'v1', resource: 'deployments' }
  const scale = { verb: 'get', resource, namespace: 'default', name: 'web', subresource: 'scale' } as const
  const { columnDefinitions, rows } = await tableOf(server, scale)
  expect(columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Desired', 'Available', 'Age'])
  expect(rows?.map(({ cells }) => cells.slice(0, 3))).toEqual([['web', 3, 0]])
  const query = { includeObject: 'all' }
  expect((await tableOf(server, { ...scale, query })).message).toBe(
    "Unable to convert to Table as requested: includeObject: Invalid value: \"all\": must be 'Metadata', 'Object', 'None', or empty",
  )
})

it('has a cell more than columns for addresses', async () => {
  const server = startServer()
  await server.client.create(IPAddress, {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: '10.96.7.7' },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'web' } },
  })
  const { columnDefinitions, rows } = await tableOf(server, {
    verb: 'get',
    resource: { group: IPAddress.group, version: 'v1', resource: 'ipaddresses' },
    name: '10.96.7.7',
  })
  expect(columnDefinitions).toHaveLength(2)
  expect(rows?.[0]?.cells).toEqual(['10.96.7.7', 'services/default/web', expect.any(String)])
})

it('shows how the parts of the control plane are', async () => {
  const server = startServer(1, { isRunning: (component) => component === 'scheduler' })
  const resource = { group: '', version: 'v1', resource: 'componentstatuses' }
  const { columnDefinitions, rows } = await tableOf(server, { verb: 'list', resource })
  expect(columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Status', 'Message', 'Error'])
  expect(rows?.map(({ cells }) => cells)).toEqual([
    [
      'controller-manager',
      'Unhealthy',
      'Get "https://127.0.0.1:10257/healthz": dial tcp 127.0.0.1:10257: connect: connection refused',
      '',
    ],
    ['scheduler', 'Healthy', 'ok', ''],
    ['etcd-0', 'Healthy', 'ok', ''],
  ])
  const one = await tableOf(server, { verb: 'get', resource, name: 'etcd-0' })
  expect(one.rows?.map(({ cells }) => cells[1])).toEqual(['Healthy'])
  const answer = await server.handle(
    { verb: 'get', resource, name: 'etcd-1', caller: tester },
    new AbortController().signal,
  )
  expect(answer).toMatchObject({ status: 500, body: { object: { message: 'Component not found: etcd-1' } } })
})

it('shows what the columns of a definition lead to, as Kubernetes prints it', async () => {
  const server = startServer()
  const Gadget = customKind('Gadget', 'tables.example.com')
  const columns = [
    ['string', '.spec.map'],
    ['string', '.spec.list[1:]'],
    ['string', '.spec.nothing'],
    ['integer', '.spec.nothing'],
    ['date', '.spec.empty'],
    ['date', '.spec.day'],
  ] as const
  const additionalPrinterColumns = columns.map(([type, jsonPath], i) => ({ name: `C${i}`, type, jsonPath }))
  const spec = { ...anyObject, properties: { nothing: { type: 'string', nullable: true } } }
  const schema = { openAPIV3Schema: objectOf({ spec }) }
  await server.client.create(
    CustomResourceDefinition,
    definitionOf(Gadget, { versions: [{ additionalPrinterColumns, schema }] }),
  )
  await server.world.settle()
  await server.client.create(Gadget, {
    apiVersion: 'tables.example.com/v1',
    kind: 'Gadget',
    metadata: { name: 'a', namespace: 'default' },
    spec: { map: { b: '<1>', a: 2 }, list: [1, 2, 3], nothing: null, empty: '', day: '2024-02-03' },
  } as AnyObject)
  const resource = { group: Gadget.group, version: 'v1', resource: 'gadgets' }
  const { rows } = await tableOf(server, { verb: 'get', resource, namespace: 'default', name: 'a' })
  expect(rows?.[0]?.cells.slice(1)).toEqual([
    '{"a":2,"b":"\\u003c1\\u003e"}',
    '2',
    '<no value>',
    null,
    '<unknown>',
    '<invalid>',
  ])
})

it('has only name and time of a kind without columns, and no default among volume attribute classes', async () => {
  const server = startServer()
  await server.client.create(CSIStorageCapacity, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIStorageCapacity',
    metadata: { name: 'zone-a', namespace: 'default' },
    storageClassName: 'fast',
  })
  const capacities = { group: 'storage.k8s.io', version: 'v1', resource: 'csistoragecapacities' }
  const { columnDefinitions } = await tableOf(server, { verb: 'list', resource: capacities })
  expect(columnDefinitions?.map(({ name }) => name)).toEqual(['Name', 'Created At'])
  await server.client.create(VolumeAttributesClass, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttributesClass',
    metadata: { name: 'gold', annotations: { 'volumeattributesclass.alpha.kubernetes.io/is-default-class': 'true' } },
    driverName: 'csi.example.com',
    parameters: { iops: '10' },
  })
  const classes = { group: 'storage.k8s.io', version: 'v1', resource: 'volumeattributesclasses' }
  expect((await tableOf(server, { verb: 'list', resource: classes })).rows?.[0]?.cells[0]).toBe('gold')
})
