// A definition with two versions, a status and a scale, and a server that serves it.

import { CustomResourceDefinition, type Kind } from '#kinds'
import type { AnyObject } from '#objects'
import { definitionOf, objectOf, Widget } from '../support/custom-kinds.ts'
import { startServer, type TestServer } from './server.ts'

export const WidgetV2: Kind<AnyObject> = { ...Widget, version: 'v2' }

const openAPIV3Schema = objectOf({
  spec: objectOf({
    size: { type: 'integer', minimum: 1, default: 3 },
    color: { type: 'string', enum: ['red', 'blue'] },
  }),
  status: objectOf({ ready: { type: 'integer' } }),
})

const definition = definitionOf(Widget, {
  versions: [
    {
      schema: { openAPIV3Schema },
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
      },
    },
    { schema: { openAPIV3Schema } },
  ],
})

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
