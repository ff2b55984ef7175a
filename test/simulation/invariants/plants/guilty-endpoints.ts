// Controllers whose endpoints show pods as they are not.

import { EndpointSlice, Endpoints, Node, type Pod, Pod as PodKind, Service } from '#kinds'
import { pod, service } from '../../../support/manifests.ts'
import { sliceOf } from './objects.ts'
import { aPod, at, type Plant, running, type Stage } from './stage.ts'

const unready = { ...running, conditions: [] }

interface Scene {
  readonly status?: object
  readonly labels?: Readonly<Record<string, string>>
  readonly isEnding?: boolean
}

/** A Service `web` and a pod `a` on a node that is there. */
async function set(stage: Stage, { status = running, labels = { app: 'web' }, isEnding }: Scene): Promise<Pod> {
  const { client } = stage.test
  await client.create(Service, service('web'))
  await client.create(Node, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-0' }, spec: {} })
  const target = await aPod(stage, 'a', { nodeName: 'node-0' }, labels)
  stage.write('pods', 'default/a', () => ({ status }))
  if (isEnding === true) await client.delete(PodKind, at('a'))
  return target
}

type Conditions = NonNullable<NonNullable<EndpointSlice['endpoints']>[number]['conditions']>

/** Shows the pod with these conditions, on its node unless another one is said. */
const showing =
  (scene: Scene, conditions: Conditions, more: object = {}): Plant['plant'] =>
  async (stage) => {
    const slice = sliceOf(await set(stage, scene))
    const endpoints = (slice.endpoints ?? []).map((one) => ({ ...one, conditions, nodeName: 'node-0', ...more }))
    await stage.guilty('endpointslice', 'default/web', ({ client }) =>
      client.create(EndpointSlice, { ...slice, endpoints }),
    )
  }

export const guiltyEndpoints: readonly Plant[] = [
  {
    name: 'endpoints ready before their pod is',
    plant: async (stage) => {
      const target = await aPod(stage, 'a')
      stage.write('pods', 'default/a', () => ({ status: unready }))
      await stage.guilty('endpointslice', 'default/web', ({ client }) => client.create(EndpointSlice, sliceOf(target)))
    },
    told: /endpoints: .* holds a as ready, which is not/,
  },
  {
    name: 'endpoints of a pod that is not there',
    plant: async (stage) => {
      const target = { ...pod('ghost'), metadata: { ...pod('ghost').metadata, uid: 'gone' } }
      await stage.guilty('endpointslice', 'default/web', ({ client }) => client.create(EndpointSlice, sliceOf(target)))
    },
    told: /endpoints: .* holds ghost, which is not there/,
  },
  {
    name: 'endpoints ready though their pod is ending',
    plant: showing({ isEnding: true }, { ready: true, serving: true, terminating: true }),
    told: /endpoints: .* holds a as ready, which is ending/,
  },
  {
    name: 'endpoints that do not say that their pod is ending',
    plant: showing({ isEnding: true }, { ready: false, serving: true, terminating: false }),
    told: /endpoints: .* holds a, terminating false where it is true/,
  },
  {
    name: 'endpoints that serve though their pod does not',
    plant: showing({ status: unready }, { ready: false, serving: true, terminating: false }),
    told: /endpoints: .* holds a, serving true where it is false/,
  },
  {
    name: 'endpoints that are not ready though their pod is',
    plant: showing({}, { ready: false, serving: true, terminating: false }),
    told: /endpoints: .* holds a, ready false where it is true/,
  },
  {
    name: 'endpoints of a pod that is not selected',
    plant: showing({ labels: { app: 'api' } }, { ready: true, serving: true, terminating: false }),
    told: /endpoints: .* holds a, which is not selected/,
  },
  {
    name: 'endpoints on another node',
    plant: showing({}, { ready: true, serving: true, terminating: false }, { nodeName: 'node-1' }),
    told: /endpoints: .* holds a on node-1, where it is not/,
  },
  {
    name: 'an Endpoints object that shows a pod that is ending',
    plant: async (stage) => {
      const { metadata } = await set(stage, { isEnding: true })
      const targetRef = { kind: 'Pod', namespace: 'default', name: 'a', uid: metadata.uid ?? '' }
      await stage.guilty('endpoints', 'default/web', ({ client }) =>
        client.create(Endpoints, {
          apiVersion: 'v1',
          kind: 'Endpoints',
          metadata: at('web'),
          subsets: [{ addresses: [{ ip: '10.244.0.9', targetRef }], ports: [{ port: 80 }] }],
        }),
      )
    },
    told: /endpoints: endpoints\/default\/web holds a, which is ending/,
  },
]
