import { expect, it } from 'vitest'
import { schemaOfCustomResource } from './custom.ts'

it('gives every custom resource the metadata of all objects', () => {
  const schema = schemaOfCustomResource({
    type: 'object',
    properties: {
      metadata: { type: 'object' },
      spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
    },
  })
  expect(schema.properties?.get('metadata')?.id).toBe('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta')
  expect(schema.properties?.get('kind')?.type).toBe('string')
  expect(schema.properties?.get('spec')?.properties?.get('size')).toEqual({ type: 'integer', checks: { minimum: 1 } })
})

it('keeps the Kubernetes extensions', () => {
  const schema = schemaOfCustomResource({
    type: 'object',
    properties: {
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      list: {
        type: 'array',
        items: { type: 'object' },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
      },
      object: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      map: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
    },
  }).properties
  expect(schema?.get('port')).toMatchObject({ type: 'any', intOrString: true })
  expect(schema?.get('free')).toMatchObject({ type: 'object', preserveUnknownFields: true })
  expect(schema?.get('list')).toMatchObject({ listType: 'map', listMapKeys: ['k'] })
  expect(schema?.get('object')?.properties?.get('metadata')?.id).toContain('ObjectMeta')
  expect(schema?.get('map')?.values).toEqual({ type: 'string', nullable: true })
})

it('keeps every field of a definition without a schema', () => {
  expect(schemaOfCustomResource(undefined)).toMatchObject({ type: 'object', preserveUnknownFields: true })
})
