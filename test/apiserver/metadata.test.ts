// What the API server finds in metadata of all kinds.

import { expect, it } from 'vitest'
import {
  ConfigMap,
  Deployment,
  type Kind,
  PodDisruptionBudget,
  ReplicaSet,
  StatefulSet,
  StorageClass,
  ValidatingAdmissionPolicy,
} from '#kinds'
import type { AnyObject } from '#objects'
import { startServer, type TestServer, tester } from './server.ts'

const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: 'u' }

function send(
  { handle }: TestServer,
  ...[kind, verb, object, subresource]: [kind: Kind, verb: 'create' | 'update', object: AnyObject, subresource?: string]
) {
  const { group, version, resource } = kind
  const { name, namespace } = object.metadata
  const body = { type: 'object', object } as never
  const place = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(verb === 'update' && name !== undefined ? { name } : {}),
    ...(subresource === undefined ? {} : { subresource }),
  }
  return handle(
    { verb, resource: { group, version, resource }, ...place, body, caller: tester },
    new AbortController().signal,
  )
}

function object(kind: Kind, fields: object = {}): AnyObject {
  const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/${kind.version}`
  const metadata = kind.namespaced ? { name: 'a', namespace: 'default' } : { name: 'a' }
  return { apiVersion, kind: kind.kind, metadata, ...fields } as unknown as AnyObject
}

it.each(['create', 'update'] as const)('keeps owners that are sent twice once, with a warning: %s', async (verb) => {
  const server = startServer()
  const plain = object(ConfigMap)
  if (verb === 'update') await server.client.create(ConfigMap, plain as ConfigMap)
  const sent = { ...plain, metadata: { ...plain.metadata, ownerReferences: [owner, owner] } }
  const { warnings } = await send(server, ConfigMap, verb, sent)
  expect(warnings).toEqual([
    expect.stringMatching(/^\.metadata\.ownerReferences contains duplicate entries; .*observed: u$/),
  ])
  const made = await server.client.get(ConfigMap, { namespace: 'default', name: 'a' })
  expect(made?.metadata.ownerReferences).toEqual([owner])
})

it.each<[string, Kind, object, number]>([
  ['ConfigMap', ConfigMap, {}, 4],
  ['PodDisruptionBudget', PodDisruptionBudget, { spec: {} }, 2],
  ['StorageClass', StorageClass, { provisioner: 'a' }, 4],
])('tells a wrong label as often as the registry of %s checks it', async (_name, kind, fields, times) => {
  const server = startServer()
  const made = (await server.client.create(kind, object(kind, fields) as never)) as AnyObject
  const metadata = { ...made.metadata, labels: { a: '-' }, finalizers: ['b a'] }
  const { body } = await send(server, kind, 'update', { ...made, metadata })
  const { details } = (body as unknown as { object: { details: { causes: { field: string }[] } } }).object
  expect(details.causes.filter(({ field }) => field === 'metadata.labels')).toHaveLength(times)
  expect(details.causes.filter(({ field }) => field === 'metadata.finalizers')).not.toHaveLength(0)
})

it('wants names of stateful sets to be labels, as those of their pods are host names', async () => {
  const { client } = startServer()
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const spec = { serviceName: 's', selector: { matchLabels: { a: 'b' } }, template }
  const metadata = { name: 'a.b', namespace: 'default' }
  await expect(
    client.create(StatefulSet, { ...object(StatefulSet, { spec }), metadata } as unknown as StatefulSet),
  ).rejects.toThrow('metadata.name: Invalid value: "a.b": must not contain dots')
})

it('lets budgets have names that no other kind may have', async () => {
  const { client } = startServer()
  const metadata = { name: 'A_b', namespace: 'default' }
  const budget = { ...object(PodDisruptionBudget, { spec: { minAvailable: 1 } }), metadata }
  const { metadata: made } = await client.create(PodDisruptionBudget, budget as PodDisruptionBudget)
  expect(made.name).toBe('A_b')
})

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }
const policy = { spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] } }
const workload = {
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
}

it.each<[string, Kind, object, object]>([
  ['a Deployment keeps its labels', Deployment, workload, { annotations: { a: 'b' } }],
  ['a ReplicaSet keeps nothing', ReplicaSet, workload, { labels: { a: 'b' }, annotations: { a: 'b' } }],
  ['a policy keeps all of it', ValidatingAdmissionPolicy, policy, {}],
])('writes metadata with the status as registries do: %s', async (_name, kind, fields, expected) => {
  const server = startServer()
  const made = (await server.client.create(kind, object(kind, fields) as never)) as AnyObject
  const metadata = { ...made.metadata, labels: { a: 'b' }, annotations: { a: 'b' } }
  const { body } = await send(server, kind, 'update', { ...made, metadata }, 'status')
  const written = (body as unknown as { object: AnyObject }).object.metadata
  expect({ labels: written.labels, annotations: written.annotations }).toEqual({
    labels: undefined,
    annotations: undefined,
    ...expected,
  })
})

it.each<[string, object, object, number, string]>([
  [
    'what would be stored',
    { resourceVersion: '5' },
    {},
    500,
    'resourceVersion should not be set on objects to be created',
  ],
  [
    'what is wrong anyway',
    { resourceVersion: '5', labels: { a: '!' } },
    {},
    422,
    'metadata.labels: Invalid value: "!"',
  ],
  ['what is only tried', { resourceVersion: '5' }, { dryRun: 'All' }, 201, ''],
  ['no revision', { resourceVersion: '0' }, {}, 201, ''],
  ['nothing that is one', { resourceVersion: 'x' }, {}, 201, ''],
])('wants no revision of an object that is new: %s', async (_what, metadata, query, status, message) => {
  const { client, handle } = startServer()
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default', ...metadata } }
  const resource = { group: '', version: 'v1', resource: 'configmaps' }
  const body = { type: 'object', object: object as ConfigMap } as const
  const answer = await handle(
    { verb: 'create', resource, namespace: 'default', body, query: query as Record<string, string>, caller: tester },
    new AbortController().signal,
  )
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([
    status,
    expect.stringContaining(JSON.stringify(message).slice(1, -1)),
  ])
  if (status === 201 && !('dryRun' in query))
    expect((await client.get(ConfigMap, { namespace: 'default', name: 'a' })).metadata.resourceVersion).toMatch(
      /^[1-9]/,
    )
})
