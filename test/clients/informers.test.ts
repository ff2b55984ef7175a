// Informers of @kubernetes/client-node: what they see, and that they go on over a restart of the server.
import {
  CoreV1Api,
  type Informer,
  type KubernetesListObject,
  makeInformer,
  type ObjectCache,
  type V1ConfigMap,
} from '@kubernetes/client-node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClientServer, openServer } from './server.ts'

const namespace = 'default'

let server: ClientServer
let core: CoreV1Api
const informers: Informer<V1ConfigMap>[] = []
beforeEach(async () => {
  server = await openServer()
  core = server.config.makeApiClient(CoreV1Api)
})
afterEach(async () => {
  for (const informer of informers.splice(0)) await informer.stop()
  await server.close()
})

const make = (name: string, labels: Record<string, string> = {}): Promise<V1ConfigMap> =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels }, data: { count: '1' } } })

interface Observed {
  readonly informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>
  readonly events: string[]
  readonly errors: unknown[]
  lists: number
}

async function observe(selector?: string): Promise<Observed> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const list = (): Promise<KubernetesListObject<V1ConfigMap>> => {
    observed.lists += 1
    return core.listNamespacedConfigMap({
      namespace,
      ...(selector === undefined ? {} : { labelSelector: selector }),
    }) as Promise<KubernetesListObject<V1ConfigMap>>
  }
  const informer = makeInformer(server.config, path, list, selector)
  const observed: Observed = { informer, events: [], errors: [], lists: 0 }
  informers.push(informer)
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, ({ metadata, data }) => observed.events.push(`${verb} ${metadata?.name} ${data?.['count']}`))
  // As its documentation says to do.
  informer.on('error', (error) => {
    observed.errors.push(error)
    setTimeout(() => void informer.start(), 20)
  })
  await informer.start()
  return observed
}

describe('an informer of client-node', () => {
  it('sees what is there, what comes, changes and goes', async () => {
    await make('first')
    const { events, informer, errors } = await observe()
    const { metadata = {} } = await make('second')
    await core.replaceNamespacedConfigMap({ name: 'second', namespace, body: { metadata, data: { count: '2' } } })
    await core.deleteNamespacedConfigMap({ name: 'first', namespace })
    await expect.poll(() => events).toEqual(['add first 1', 'add second 1', 'update second 2', 'delete first 1'])
    expect(informer.list(namespace).map((object) => object.metadata?.name)).toEqual(['second'])
    expect(errors).toEqual([])
  })

  it('of a selector loses what no longer fits', async () => {
    const { events } = await observe('tier=web')
    const { metadata = {} } = await make('one', { tier: 'web' })
    await make('other', { tier: 'db' })
    const body = { metadata: { ...metadata, labels: {} }, data: { count: '2' } }
    await core.replaceNamespacedConfigMap({ name: 'one', namespace, body })
    // As it was when it last fitted.
    await expect.poll(() => events).toEqual(['add one 1', 'delete one 1'])
  })

  it('goes on over a restart of the server, and misses nothing', async () => {
    await make('before')
    const { events, informer } = await observe()
    await make('seen')
    await expect.poll(() => events.length).toBe(2)
    await server.stop()
    await server.start()
    await core.deleteNamespacedConfigMap({ name: 'before', namespace })
    await make('after')
    await expect
      .poll(() => [...events], { timeout: 5000 })
      .toEqual(['add before 1', 'add seen 1', 'delete before 1', 'add after 1'])
    expect(
      informer
        .list(namespace)
        .map((object) => object.metadata?.name)
        .sort(),
    ).toEqual(['after', 'seen'])
  })

  it('lists again when its revision has been compacted away', async () => {
    const observed = await observe()
    await make('kept')
    await expect.poll(() => observed.events).toEqual(['add kept 1'])
    await observed.informer.stop()
    await server.stop()
    await server.start()
    // A server that has begun anew has no history before its start: what was seen last may be too old for it.
    await core.createNamespace({ body: { metadata: { name: 'elsewhere' } } })
    await make('later')
    await observed.informer.start()
    await expect.poll(() => observed.events).toEqual(['add kept 1', 'add later 1'])
    expect(observed.informer.list(namespace)).toHaveLength(2)
  })
})
