// A definition with two versions, a status and a scale, and a server that serves it.

import { CustomResourceDefinition, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { startServer, type TestServer } from './server.ts'

export const Widget: Kind<AnyObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  resource: 'widgets',
  namespaced: true,
}
export const WidgetV2: Kind<AnyObject> = { ...Widget, version: 'v2' }

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1, default: 3 },
        color: { type: 'string', enum: ['red', 'blue'] },
      },
    },
    status: { type: 'object', properties: { ready: { type: 'integer' } } },
  },
}

export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
        },
      },
      { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: schema } },
    ],
  },
} as unknown as CustomResourceDefinition

export const widget = (spec: object): AnyObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'default' },
  spec,
})

export async function serverWithWidgets(): Promise<TestServer> {
  const server = startServer()
  await server.client.create(CustomResourceDefinition, definition)
  await server.world.settle()
  return server
}

export const ref = { namespace: 'default', name: 'w' }
