import { expect, test } from 'vitest'
import { builtInSchema } from '#kinds'
import type { AnyObject } from '#objects'
import { withoutForeignElements } from './foreign-elements.ts'

const schemaOf = (group: string, kind: string) => {
  const schema = builtInSchema(group, 'v1', kind)
  if (schema === undefined) throw new Error(kind)
  return schema
}
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
