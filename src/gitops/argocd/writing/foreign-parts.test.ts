import { expect, test } from 'vitest'
import { builtInSchema } from '#kinds'
import type { AnyObject, Schema } from '#objects'
import { withoutForeignParts } from './foreign-parts.ts'

const schemaOf = (group: string, kind: string) => {
  const schema = builtInSchema(group, 'v1', kind)
  if (schema === undefined) throw new Error(kind)
  return schema
}
/** What is tried last: with no element of others. */
const withoutForeignElements = (live: AnyObject, target: AnyObject, schema: Schema): AnyObject | undefined =>
  withoutForeignParts({ live, target, schema, fields: [] }).at(-1)

const service = (ports: readonly object[], more: object = {}): AnyObject =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec: { ports, ...more } }) as unknown as AnyObject

test('elements that git does not name go, the others keep what git leaves open', () => {
  const live = service(
    [
      { name: 'a', port: 80, protocol: 'TCP', nodePort: 30000 },
      { name: 'b', port: 81, protocol: 'TCP' },
    ],
    { clusterIP: '10.96.0.9' },
  )
  expect(
    withoutForeignElements(live, service([{ name: 'a', port: 80, targetPort: 8080 }]), schemaOf('', 'Service')),
  ).toEqual(
    service([{ name: 'a', port: 80, protocol: 'TCP', nodePort: 30000, targetPort: 8080 }], { clusterIP: '10.96.0.9' }),
  )
})

test('an element that has another key is one of git, and takes the place of the old one', () => {
  const live = service([{ name: 'http', port: 81, protocol: 'TCP' }])
  expect(withoutForeignElements(live, service([{ name: 'http', port: 80 }]), schemaOf('', 'Service'))).toEqual(
    service([{ name: 'http', port: 80 }]),
  )
})

test('without foreign elements there is nothing to gain', () => {
  const live = service([{ port: 80, protocol: 'TCP' }])
  expect(
    withoutForeignElements(live, service([{ port: 80, protocol: 'TCP' }]), schemaOf('', 'Service')),
  ).toBeUndefined()
  expect(withoutForeignElements(live, service([{ port: 80 }]), schemaOf('', 'Service'))).toBeUndefined()
})

test('lists of lists: containers and their variables', () => {
  const deployment = (containers: readonly object[]): AnyObject =>
    ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { template: { spec: { containers } } },
    }) as unknown as AnyObject
  const live = deployment([{ name: 'c', env: [{ name: 'A' }, { name: 'B' }] }, { name: 'sidecar' }])
  expect(
    withoutForeignElements(
      live,
      deployment([{ name: 'c', env: [{ name: 'A', value: '1' }] }]),
      schemaOf('apps', 'Deployment'),
    ),
  ).toEqual(deployment([{ name: 'c', env: [{ name: 'A', value: '1' }] }]))
})

test('fields that the refusal names go first, those beside them and elements of others stay', () => {
  const pod = (volumes: readonly object[], more: object = {}): AnyObject =>
    ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { volumes, ...more } }) as unknown as AnyObject
  const live = pod([{ name: 'theirs' }, { name: 'v', configMap: { name: 'x' } }], { hostname: 'h' })
  const target = pod([{ name: 'v', emptyDir: {} }])
  const [first] = withoutForeignParts({
    live,
    target,
    schema: schemaOf('', 'Pod'),
    fields: ['spec.volumes[0].configMap'],
  })
  expect(first).toEqual(pod([{ name: 'v', emptyDir: {} }, { name: 'theirs' }], { hostname: 'h' }))
})

test('what stands beside a field of git that is refused goes too', () => {
  const strategy = (value: object): AnyObject =>
    ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a' },
      spec: { strategy: value, paused: true },
    }) as unknown as AnyObject
  const live = strategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } })
  const target = { ...strategy({ type: 'Recreate' }), spec: { strategy: { type: 'Recreate' } } } as unknown as AnyObject
  const tried = (field: string) =>
    withoutForeignParts({ live, target, schema: schemaOf('apps', 'Deployment'), fields: [field] })[0]
  expect(tried('spec.strategy.type')).toEqual(strategy({ type: 'Recreate' }))
  expect(tried('spec.strategy.rollingUpdate.maxSurge')).toEqual(strategy({ type: 'Recreate' }))
  expect(tried('spec.replicas')).toBeUndefined()
})
