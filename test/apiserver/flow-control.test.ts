// The configuration of flow control: the objects that every cluster has are there, come back and are brought up to date
// unless an administrator keeps them; a FlowSchema says whether the priority level that it names is there.

import { describe, expect, it } from 'vitest'
import { FlowSchema, PriorityLevelConfiguration } from '#kinds'
import { made } from './objects.ts'
import { serve, startServer, type TestServer } from './server.ts'

const group = 'flowcontrol.apiserver.k8s.io/v1'
const merge = { type: 'application/merge-patch+json' } as const
const annotation = 'apf.kubernetes.io/autoupdate-spec'

const schema = (name: string, level: string): FlowSchema =>
  made('FlowSchema', group, {
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: level },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: 'g' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
        },
      ],
    },
  })

const level = (name: string): PriorityLevelConfiguration =>
  made('PriorityLevelConfiguration', group, {
    metadata: { name },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  })

const conditionOf = async ({ client }: TestServer, name: string) =>
  (await client.get(FlowSchema, { name })).status?.conditions?.map(({ status, reason, message }) => [
    status,
    reason,
    message,
  ])

describe('the configuration that every cluster has', () => {
  it('is there from the first moment on, each schema with its level', async () => {
    const { client } = startServer()
    const schemas = (await client.list(FlowSchema)).items
    const levels = (await client.list(PriorityLevelConfiguration)).items.map(({ metadata }) => metadata.name)
    expect(levels).toEqual(
      'catch-all exempt global-default leader-election node-high system workload-high workload-low'.split(' '),
    )
    expect(schemas.map(({ metadata, spec }) => `${metadata.name} ${spec.matchingPrecedence}`)).toEqual(
      expect.arrayContaining(['exempt 1', 'probes 2', 'service-accounts 9000', 'catch-all 10000']),
    )
    expect(schemas.map(({ status }) => status?.conditions?.map((one) => `${one.type} ${one.status}`))).toEqual(
      schemas.map(() => ['Dangling False']),
    )
  })

  it('comes back within a minute, and is brought up to date', async () => {
    const { client, world } = startServer()
    await client.delete(FlowSchema, { name: 'probes' })
    const shares = { spec: { limited: { nominalConcurrencyShares: 7 } } }
    for (const name of ['system', 'catch-all']) await client.patch(PriorityLevelConfiguration, { name }, shares, merge)
    const keep = { metadata: { annotations: { [annotation]: 'false' } } }
    await client.patch(PriorityLevelConfiguration, { name: 'workload-low' }, { ...keep, ...shares }, merge)
    await client.patch(PriorityLevelConfiguration, { name: 'exempt' }, keep, merge)
    await world.advance(60_000)
    expect((await client.get(FlowSchema, { name: 'probes' })).spec.matchingPrecedence).toBe(2)
    const now = async (name: string) => {
      const { metadata, spec } = await client.get(PriorityLevelConfiguration, { name })
      return [metadata.annotations?.[annotation], spec.limited?.nominalConcurrencyShares, metadata.generation]
    }
    expect(await now('system')).toEqual(['true', 30, 3])
    expect(await now('catch-all')).toEqual(['true', 5, 3])
    expect(await now('workload-low')).toEqual(['false', 7, 2])
    expect((await now('exempt'))[0]).toBe('true')
  })

  it('is left as it was when a server starts anew', async () => {
    const first = startServer()
    const { revision } = first.store
    serve(first.world, first.store)
    expect(first.store.revision).toBe(revision)
  })
})

describe('the condition Dangling', () => {
  it('says whether the level of a schema is there, as levels come and go', async () => {
    const server = startServer()
    const { client, world } = server
    const answered = await client.create(FlowSchema, schema('own', 'gold'))
    expect(answered.status).toEqual({})
    await world.settle()
    const message = 'This FlowSchema references the PriorityLevelConfiguration object named "gold"'
    expect(await conditionOf(server, 'own')).toEqual([['True', 'NotFound', `${message} but there is no such object`]])
    await client.create(PriorityLevelConfiguration, level('gold'))
    await world.settle()
    expect(await conditionOf(server, 'own')).toEqual([['False', 'Found', `${message} and it exists`]])
    await client.delete(PriorityLevelConfiguration, { name: 'gold' })
    await world.settle()
    expect((await conditionOf(server, 'own'))?.[0]?.[0]).toBe('True')
  })
})
